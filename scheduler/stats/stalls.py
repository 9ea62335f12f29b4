"""Stalls: seconds in which a checkpoint, a vacuum or another guest blocked work.

Stalls hit splits at random, so a ranking without them is fairer and needs fewer trials. All seconds are stored and
shown.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from scheduler.model.documents import TrialDone
from scheduler.model.load_name import LoadName

_STALLED = 0.6  # of the window's median: a checkpoint costs two thirds, ordinary seconds deviate by a tenth
_MOST = 0.4  # of the seconds: a window with more low seconds is uneven, not stalled


def mark_counted_seconds(rates_tps: Sequence[float]) -> Sequence[bool]:
    """Return True for each second of a window that counts.

    All seconds count when more than `_MOST` of them would be excluded.

    Args:
        rates_tps: Operations per second, by second of the window.
    """
    if not rates_tps:
        return ()
    floor_tps = _STALLED * median(rates_tps)
    counts = [rate > floor_tps for rate in rates_tps]
    return counts if sum(counts) >= (1 - _MOST) * len(counts) else [True] * len(counts)


def is_interrupted(rates_tps: Sequence[float]) -> bool:
    """Return True when one stretch of low seconds fills more of a window than allowed.

    A window is judged by its own seconds alone. A trial must not be repeated for being slower than other trials: where
    a rate has two modes, a second chance for the slow trials overstates it.

    Args:
        rates_tps: Operations per second, by second of the window.
    """
    floor_tps = _STALLED * max(rates_tps, default=0.0)
    low = [rate < floor_tps for rate in rates_tps]
    stretches = sum(now and not before for before, now in pairwise([False, *low]))
    return stretches == 1 and sum(low) > _MOST * len(low)


def drop_superseded(trials: Iterable[TrialDone]) -> list[TrialDone]:
    """Return the trials without those that were repeated in the same block.

    The last trial of each member counts.
    """
    last: dict[tuple[object, ...], TrialDone] = {}
    for trial in sorted(trials, key=lambda trial: trial.trial):
        last[trial.block, trial.setting, trial.member] = trial
    return list(last.values())


def first_of_each_trial(trials: Iterable[TrialDone]) -> list[TrialDone]:
    """Return the first result of each trial; a trial of a mix has several results."""
    seen: set[tuple[str, int]] = set()
    found: list[TrialDone] = []
    for trial in trials:
        stay = LoadName.of(trial.load).mix, trial.trial
        if not may_have_more_results(trial) or stay not in seen:
            seen.add(stay)
            found.append(trial)
    return found


def may_have_more_results(trial: TrialDone) -> bool:
    """Return True when the trial may have further results: of a mix, or of two guests."""
    return bool(LoadName.of(trial.load).mix) or trial.guest is not None


def sum_lost_s(trials: Sequence[TrialDone]) -> float:
    """Return the measured seconds that do not count: stalls and repeated trials."""
    counted_s = sum(trial.seconds * (1 - trial.stalled_frac) for trial in drop_superseded(trials))
    return round(sum(trial.seconds for trial in trials) - counted_s, 3)
