"""Stalls: seconds in which a checkpoint, a vacuum or a neighbour stood in the way of the work, and visits full of them.

They hit splits at random, so ranking is fairer and sooner done without them; every second of them is kept and shown.
"""

import math
from collections.abc import Iterable, Sequence
from statistics import median

from scheduler.model.documents import VisitDone
from scheduler.model.mixes import mix_in
from scheduler.model.setting import Setting

_STALLED = 0.6  # of the window's median: a checkpoint costs two thirds, ordinary seconds deviate by a tenth
_MOST = 0.4  # of the seconds: a window with more is not stalled, it is uneven
_FAR, _LEAST_SPREAD = 4.0, 0.075
_EARLIER = 2


def flowing(rates_tps: Sequence[float]) -> Sequence[bool]:
    """Return for each second of a window whether it counts; all do when too many would not.

    Args:
        rates_tps: Tuples per second, by second.
    """
    if not rates_tps:
        return ()
    floor_tps = _STALLED * median(rates_tps)
    counts = [rate > floor_tps for rate in rates_tps]
    return counts if sum(counts) >= (1 - _MOST) * len(counts) else [True] * len(counts)


class TrialHistory:
    """Usable rates of the trials so far, by setting and load: a new trial is compared with its own cell alone.

    Args:
        trials: The trials so far.
    """

    def __init__(self, trials: Iterable[VisitDone] = ()) -> None:
        self._log_tps: dict[tuple[Setting | None, str], list[float]] = {}
        for done in trials:
            self.add(done)

    def add(self, done: VisitDone) -> None:
        """Add one trial."""
        if done.valid and done.mean_tps > 0:
            self._log_tps.setdefault((done.setting, done.load), []).append(math.log(done.mean_tps))

    def disturbed(self, done: VisitDone) -> bool:
        """Return True for a trial that fell far below the earlier trials of its setting and load.

        Far is four times their deviation (by the median), of ln(throughput), and four times 0.075 at least. The first
        two trials of a cell are never disturbed.
        """
        values = self._log_tps.get((done.setting, done.load), ())
        if len(values) < _EARLIER or not done.valid or done.mean_tps <= 0:
            return False
        middle = median(values)
        spread = 1.4826 * median(abs(value - middle) for value in values)
        return math.log(done.mean_tps) < middle - _FAR * max(_LEAST_SPREAD, spread)


def lasting(visits: Iterable[VisitDone]) -> list[VisitDone]:
    """Return the visits without those that were measured again in the same block: of two the later counts."""
    last: dict[tuple[object, ...], VisitDone] = {}
    for visit in sorted(visits, key=lambda visit: visit.visit):
        last[visit.block, visit.setting, visit.load] = visit
    return list(last.values())


def one_of_each(visits: Iterable[VisitDone]) -> list[VisitDone]:
    """Return one result of each visit: of a mix, which has as many as loads, the first."""
    seen: set[tuple[str, int]] = set()
    found: list[VisitDone] = []
    for visit in visits:
        stay = mix_in(visit.load), visit.visit
        if not stay[0] or stay not in seen:
            seen.add(stay)
            found.append(visit)
    return found


def lost_s(visits: Sequence[VisitDone]) -> float:
    """Return how many measured seconds of these visits do not count: stalls, and visits measured again."""
    counted_s = sum(visit.seconds * (1 - visit.stalled_frac) for visit in lasting(visits))
    return round(sum(visit.seconds for visit in visits) - counted_s, 3)
