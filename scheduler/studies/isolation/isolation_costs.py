"""Loss of a guest while the other guest is loaded, within blocks.

Interference is the part of the loss that the guest's share of the CPU does not explain.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from scheduler.model.documents import TrialDone
from scheduler.model.guests import LoadedGuests
from scheduler.model.load import LoadSpec
from scheduler.model.setting import GuestsSetting
from scheduler.model.split import GUEST, IO, DomainId, Mode, Split
from scheduler.stats.replicates import estimate_mean_interval
from scheduler.studies.isolation.declaration import GuestLoss, ShareProtection

LIMIT_FRAC = 0.05
"""Largest interference, as a fraction of the throughput alone, at which a guest counts as protected."""

SATURATED_FRAC = 0.93  # of the CPU allotted; below it the CPU was partly idle (as in stats/bottleneck.py)

_MORE = 1.001  # below it the CPU used equals the share within the precision of the counters


class SplitMode(NamedTuple):
    """One split in one mode."""

    split: Split
    mode: Mode


BlocksByCell = Mapping[tuple[SplitMode, LoadedGuests], Mapping[int, Mapping[DomainId, TrialDone]]]
"""Cell and loaded guests to block to the valid result of each loaded guest."""


class _BlockPair(NamedTuple):
    """Results of one guest in one block: alone, and with the other guest loaded."""

    alone: TrialDone
    both: TrialDone

    @property
    def log_ratio(self) -> float:
        """ln(throughput together / throughput alone)."""
        return math.log(self.both.mean_tps / self.alone.mean_tps)

    def log_share(self, guest: DomainId, mode: Mode) -> float:
        """Return ln(min(1, share / CPU used alone)), the loss that the share explains.

        With caps the result is 0: apart from errors of counters and quotas, no guest uses more than its share.
        """
        if mode == Mode.CAPS:
            return 0.0
        received, share = self.alone.used_frac.get(guest, 0.0), self.both.allotted_frac.get(guest, 0.0)
        return math.log(share / received) if received > _MORE * share > 0.0 else 0.0


def split_modes(settings: Sequence[object]) -> tuple[SplitMode, ...]:
    """Return each split with each mode, in the plan's order."""
    shared = (each for each in settings if isinstance(each, GuestsSetting))
    return tuple(dict.fromkeys(SplitMode(each.split, each.mode) for each in shared))


def group_blocks(trials: Sequence[TrialDone]) -> BlocksByCell:
    """Return the valid trials by cell, loaded guests and block.

    A trial in which a loaded guest completed nothing is left out.
    """
    found: dict[tuple[SplitMode, LoadedGuests], dict[int, dict[DomainId, TrialDone]]] = {}
    for results in _group_trials(trials):
        first = next(iter(results.values()))
        setting = first.setting
        if isinstance(setting, GuestsSetting) and results.keys() == set(setting.loaded.guests):
            cell = SplitMode(setting.split, setting.mode)
            found.setdefault((cell, setting.loaded), {})[first.block] = results
    return found


def _group_trials(trials: Sequence[TrialDone]) -> Collection[dict[DomainId, TrialDone]]:
    """Return the valid results of each trial, by guest.

    A guest that completed nothing has no result.
    """
    found: dict[int, dict[DomainId, TrialDone]] = {}
    for done in trials:
        if done.valid and done.mean_tps > 0 and done.guest is not None:
            found.setdefault(done.trial, {})[done.guest] = done
    return found.values()


def isolation_cost(blocks: BlocksByCell, cell: SplitMode, guest: DomainId, load: LoadSpec) -> GuestLoss | None:
    """Return the loss of a guest at one split in one mode.

    None where no block has the guest both alone and together.

    Args:
        blocks: The valid trials (`group_blocks`).
        cell: Split and mode.
        guest: The guest.
        load: The guest's load.
    """
    alone = blocks.get((cell, LoadedGuests.FIRST if guest == GUEST else LoadedGuests.SECOND), {})
    both = blocks.get((cell, LoadedGuests.BOTH), {})
    pairs = [_BlockPair(alone[block][guest], both[block][guest]) for block in sorted(alone.keys() & both.keys())]
    if not pairs:
        return None
    logs = [pair.log_ratio for pair in pairs]
    shares = [pair.log_share(guest, cell.mode) for pair in pairs]
    beyond = [log - share for log, share in zip(logs, shares, strict=True)]
    ends = _lost_interval(beyond)
    return GuestLoss(
        guest=guest,
        load=load.kind,
        unit=load.unit,
        split=cell.split.label,
        mode=cell.mode,
        alone_tps=fmean(pair.alone.mean_tps for pair in pairs),
        both_tps=fmean(pair.both.mean_tps for pair in pairs),
        cost_frac=_lost_frac(fmean(logs)),
        ci95_frac=_lost_interval(logs),
        share_frac=_lost_frac(fmean(shares)),
        beyond_frac=_lost_frac(fmean(beyond)),
        beyond_ci95_frac=ends,
        allotted_cpus=pairs[0].both.allotted_frac.get(guest, cell.split.frac_of(guest)),
        alone_cpus=_mean_cpus_used([pair.alone for pair in pairs], guest),
        both_cpus=_mean_cpus_used([pair.both for pair in pairs], guest),
        io_full=_is_io_saturated([pair.both for pair in pairs], cell.mode),
        clients_frac=fmean(pair.both.clients_cpu_frac for pair in pairs),
        protection=_judge_protection(ends),
        blocks=len(pairs),
    )


def _lost_frac(log: float) -> float:
    return 0.0 - math.expm1(log)  # 0, not -0, without a loss


def _lost_interval(logs: Sequence[float]) -> tuple[float, float] | None:
    ends = estimate_mean_interval(logs)
    return (_lost_frac(ends[1]), _lost_frac(ends[0])) if ends else None


def _judge_protection(ends: tuple[float, float] | None) -> ShareProtection:
    if ends is None or ends[0] <= LIMIT_FRAC < ends[1]:
        return ShareProtection.UNKNOWN
    return ShareProtection.KEPT if ends[1] <= LIMIT_FRAC else ShareProtection.BROKEN


def _mean_cpus_used(trials: Sequence[TrialDone], domain: DomainId) -> float | None:
    known = [trial.used_frac[domain] for trial in trials if domain in trial.used_frac]
    return fmean(known) if known else None


def _is_io_saturated(trials: Sequence[TrialDone], mode: str) -> bool:
    """Return True when the I/O domain used up its quota; always False with weights.

    With weights only the whole CPU is a limit.
    """
    received, share = _mean_cpus_used(trials, IO), trials[0].allotted_frac.get(IO, 0.0)
    return mode == Mode.CAPS and received is not None and share > 0.0 and received >= SATURATED_FRAC * share
