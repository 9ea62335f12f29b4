"""What one guest loses when the other is loaded, too: within blocks, and beyond what its share alone explains."""

import math
from collections.abc import Collection, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from scheduler.model.documents import TrialDone
from scheduler.model.guests import LoadedGuests
from scheduler.model.isolation_findings import GuestLoss, ShareProtection
from scheduler.model.load import LoadSpec
from scheduler.model.setting import GuestsSetting
from scheduler.model.split import GUEST, IO, DomainId, Mode, Split
from scheduler.stats.replicates import estimate_mean_interval

LIMIT_FRAC = 0.05
"""What a neighbour may cost beyond the share before the guest counts as unprotected."""

SATURATED_FRAC = 0.93  # of what a domain may have; beneath it somebody could still have run (as in stats/bottleneck.py)

_MORE = 1.001  # beneath it what a guest received is its share: counters are no better


class SplitMode(NamedTuple):
    """One split in one mode."""

    split: Split
    mode: Mode


BlocksByCell = Mapping[tuple[SplitMode, LoadedGuests], Mapping[int, Mapping[DomainId, TrialDone]]]
"""Cell and loaded guests to block to the valid result of each loaded guest."""


class _BlockPair(NamedTuple):
    """Results of one guest in one block: alone, and with its neighbour."""

    alone: TrialDone
    both: TrialDone

    @property
    def log_ratio(self) -> float:
        """The logarithm ln(throughput together / alone)."""
        return math.log(self.both.mean_tps / self.alone.mean_tps)

    def log_share(self, guest: DomainId, mode: Mode) -> float:
        """Return the logarithm of what its share alone leaves of the throughput alone: min(1, share / received).

        Under a cap that is all: nobody runs on more than the share, but by what counters and quotas are off.
        """
        if mode == Mode.CAPS:
            return 0.0
        received, share = self.alone.delivered_frac.get(guest, 0.0), self.both.configured_frac.get(guest, 0.0)
        return math.log(share / received) if received > _MORE * share > 0.0 else 0.0


def split_modes(settings: Sequence[object]) -> tuple[SplitMode, ...]:
    """Return each split with each mode, in the plan's order."""
    shared = (each for each in settings if isinstance(each, GuestsSetting))
    return tuple(dict.fromkeys(SplitMode(each.split, each.mode) for each in shared))


def group_blocks(trials: Sequence[TrialDone]) -> BlocksByCell:
    """Return the valid trials; a trial in which a loaded guest completed nothing is none."""
    found: dict[tuple[SplitMode, LoadedGuests], dict[int, dict[DomainId, TrialDone]]] = {}
    for results in _group_trials(trials):
        first = next(iter(results.values()))
        setting = first.setting
        if isinstance(setting, GuestsSetting) and results.keys() == set(setting.loaded.guests):
            cell = SplitMode(setting.split, setting.mode)
            found.setdefault((cell, setting.loaded), {})[first.block] = results
    return found


def _group_trials(trials: Sequence[TrialDone]) -> Collection[dict[DomainId, TrialDone]]:
    """Return for each trial the valid results of the guests that completed something."""
    found: dict[int, dict[DomainId, TrialDone]] = {}
    for done in trials:
        if done.valid and done.mean_tps > 0 and done.guest is not None:
            found.setdefault(done.trial, {})[done.guest] = done
    return found.values()


def isolation_cost(blocks: BlocksByCell, cell: SplitMode, guest: DomainId, load: LoadSpec) -> GuestLoss | None:
    """Return what a guest loses at one split in one mode; None where no block has it both alone and together."""
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
        configured_cpus=pairs[0].both.configured_frac.get(guest, cell.split.frac_of(guest)),
        alone_cpus=_mean_cpus_used([pair.alone for pair in pairs], guest),
        both_cpus=_mean_cpus_used([pair.both for pair in pairs], guest),
        io_full=_is_io_saturated([pair.both for pair in pairs], cell.mode),
        clients_frac=fmean(pair.both.clients_cpu_frac for pair in pairs),
        protection=_judge_protection(ends),
        blocks=len(pairs),
    )


def _lost_frac(log: float) -> float:
    return 0.0 - math.expm1(log)  # 0, not -0, where nothing is lost


def _lost_interval(logs: Sequence[float]) -> tuple[float, float] | None:
    ends = estimate_mean_interval(logs)
    return (_lost_frac(ends[1]), _lost_frac(ends[0])) if ends else None


def _judge_protection(ends: tuple[float, float] | None) -> ShareProtection:
    if ends is None or ends[0] <= LIMIT_FRAC < ends[1]:
        return ShareProtection.UNKNOWN
    return ShareProtection.KEPT if ends[1] <= LIMIT_FRAC else ShareProtection.BROKEN


def _mean_cpus_used(trials: Sequence[TrialDone], domain: DomainId) -> float | None:
    known = [trial.delivered_frac[domain] for trial in trials if domain in trial.delivered_frac]
    return fmean(known) if known else None


def _is_io_saturated(trials: Sequence[TrialDone], mode: str) -> bool:
    """Return whether the I/O domain had used up its quota; under weights nothing but the whole CPU is one's limit."""
    received, share = _mean_cpus_used(trials, IO), trials[0].configured_frac.get(IO, 0.0)
    return mode == Mode.CAPS and received is not None and share > 0.0 and received >= SATURATED_FRAC * share
