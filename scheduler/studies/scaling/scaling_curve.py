"""Throughput at each number of vCPUs, and the gain of each step.

A block measures every number once. An effect of the moment on all of them cancels in differences of ln(throughput)
within the block. So the block is the replicate: intervals are Student's over blocks (`stats/replicates.py`).
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from scheduler.model.documents import TrialDone
from scheduler.model.host_properties import HostProperties
from scheduler.model.reference_comparison import ReferenceRatio
from scheduler.model.setting import VcpusSetting
from scheduler.model.split import GUEST, IO
from scheduler.stats.replicates import estimate_mean_interval
from scheduler.studies.scaling.declaration import SaturatedPart, VcpuStep, VcpuThroughput

SATURATED_FRAC = 0.93  # of a domain's CPUs; below it the CPU was partly idle (as in stats/bottleneck.py)
CLIENT_BUSY, CLIENTS_BUSY = 0.8, 0.9  # as in stats/bottleneck.py


class CpuSaturation(NamedTuple):
    """CPU used at a number of vCPUs, means over the trials.

    Attributes:
        vcpus: The number of vCPUs.
        guest_cpus: CPU used by the guest, in CPUs; None where it was not measured.
        io_cpus: CPU used by the I/O domain, in CPUs; None where it was not measured.
        client_frac: CPU used by the busiest user process, 0..1.
        clients_frac: CPU used by all users over the CPUs left to them, 0..1.
        stolen_frac: Fraction of the CPUs' time that other machines took, 0..1.
    """

    vcpus: int
    guest_cpus: float | None
    io_cpus: float | None
    client_frac: float = 0.0
    clients_frac: float = 0.0
    stolen_frac: float = 0.0


def find_saturated(seen: CpuSaturation, facts: HostProperties | None) -> SaturatedPart:
    """Return the saturated part of the host.

    A domain that has its CPUs to itself comes before CPUs that both domains share.

    Args:
        seen: CPU used at a number of vCPUs.
        facts: Host properties at the start; None where they are not known.
    """
    guest, io = seen.guest_cpus or 0.0, seen.io_cpus or 0.0
    together = seen.vcpus if _shares_first_cpu(facts) else facts.pcpus if facts is not None else math.inf
    full = SATURATED_FRAC * (1.0 - seen.stolen_frac)
    if guest >= full * seen.vcpus:
        return SaturatedPart.GUEST
    if io >= full * _io_vcpu_count(facts):
        return SaturatedPart.IO
    if guest + io >= full * together:
        return SaturatedPart.BOTH
    if seen.client_frac >= CLIENT_BUSY or seen.clients_frac >= CLIENTS_BUSY:
        return SaturatedPart.CLIENT
    return SaturatedPart.NOTHING


def _shares_first_cpu(facts: HostProperties | None) -> bool:
    """Return True when the guest's first CPU is that of the I/O domain."""
    return facts is not None and bool(facts.vcpus.cpus)


def _io_vcpu_count(facts: HostProperties | None) -> int:
    return next((domain.vcpus for domain in facts.domains if domain.id == IO), 1) if facts is not None else 1


BlocksByVcpus = Mapping[int, Mapping[int, TrialDone]]
"""Number of vCPUs to block to the valid trial."""


def blocks_by_vcpus(trials: Sequence[TrialDone], load: str, *, base: bool = False) -> BlocksByVcpus:
    """Return number of vCPUs to block to the valid trial, by ascending number.

    A trial without throughput is left out.

    Args:
        trials: All trials.
        load: Name of the load.
        base: True for trials of the reference, False for those of the guest.
    """
    found: dict[int, dict[int, TrialDone]] = {}
    for trial in trials:
        setting, counts = trial.setting, trial.load == load and trial.valid and trial.mean_tps > 0
        if counts and isinstance(setting, VcpusSetting) and setting.base == base:
            found.setdefault(setting.vcpus, {})[trial.block] = trial
    return dict(sorted(found.items()))


def measure_sizes(blocks: BlocksByVcpus, facts: HostProperties | None) -> tuple[VcpuThroughput, ...]:
    """Return one record per number of vCPUs, the smallest first.

    A number needs a common block with the smallest number.

    Args:
        blocks: Number of vCPUs to block to the valid trial.
        facts: Host properties at the start; None where they are not known.
    """
    if not blocks:
        return ()
    least = next(iter(blocks))
    return tuple(
        _measure_size(number, blocks[number], blocks[least], facts, first=number == least)
        for number in blocks
        if blocks[number].keys() & blocks[least].keys()
    )


def measure_steps(blocks: BlocksByVcpus) -> tuple[VcpuStep, ...]:
    """Return one record per pair of adjacent numbers that share a block."""
    return tuple(
        _measure_step(fewer, more, blocks[fewer], blocks[more])
        for fewer, more in pairwise(blocks)
        if blocks[fewer].keys() & blocks[more].keys()
    )


def compare_references(blocks: BlocksByVcpus, bases: BlocksByVcpus) -> tuple[ReferenceRatio, ...]:
    """Return one record per number of vCPUs where guest and reference share a block.

    Args:
        blocks: Trials of the guest.
        bases: Trials of the reference.
    """
    pairs = {number: (blocks[number], bases[number]) for number in blocks if number in bases}
    return tuple(_compare_reference(number, *pair) for number, pair in pairs.items() if pair[0].keys() & pair[1].keys())


def _compare_reference(number: int, guest: Mapping[int, TrialDone], base: Mapping[int, TrialDone]) -> ReferenceRatio:
    both = [block for block in guest if block in base]
    logs = _log_ratios(base, guest)
    return ReferenceRatio(
        load=guest[both[0]].load,
        unit=guest[both[0]].unit,
        vcpus=number,
        guest_tps=fmean(guest[block].mean_tps for block in both),
        base_tps=fmean(base[block].mean_tps for block in both),
        ratio=math.exp(fmean(logs)),
        ci95=_exp_interval(estimate_mean_interval(logs)),
        blocks=len(logs),
    )


def _measure_size(
    number: int,
    mine: Mapping[int, TrialDone],
    least: Mapping[int, TrialDone],
    facts: HostProperties | None,
    *,
    first: bool,
) -> VcpuThroughput:
    trials, logs = list(mine.values()), _log_ratios(least, mine)
    seen = CpuSaturation(
        vcpus=number,
        guest_cpus=_mean_cpus_used(trials, GUEST),
        io_cpus=_mean_cpus_used(trials, IO),
        client_frac=fmean(trial.client_cpu_frac for trial in trials),
        clients_frac=fmean(trial.clients_cpu_frac for trial in trials),
        stolen_frac=fmean(trial.stolen_frac or 0.0 for trial in trials),
    )
    return VcpuThroughput(
        load=trials[0].load,
        unit=trials[0].unit,
        vcpus=number,
        mean_tps=fmean(trial.mean_tps for trial in trials),
        ratio=math.exp(fmean(logs)),
        ci95=None if first else _exp_interval(estimate_mean_interval(logs)),
        blocks=len(logs),
        guest_cpus=seen.guest_cpus,
        io_cpus=seen.io_cpus,
        client_frac=max(seen.client_frac, seen.clients_frac),
        filled=find_saturated(seen, facts) if seen.guest_cpus is not None else SaturatedPart.UNKNOWN,
    )


def _measure_step(fewer: int, more: int, mine: Mapping[int, TrialDone], others: Mapping[int, TrialDone]) -> VcpuStep:
    logs, doublings = _log_ratios(mine, others), math.log2(more / fewer)
    each = [value / doublings for value in logs]
    pairs = [(mine[block], others[block]) for block in mine if block in others]
    added = [two.used_frac[IO] - one.used_frac[IO] for one, two in pairs if IO in one.used_frac and IO in two.used_frac]
    return VcpuStep(
        load=pairs[0][0].load,
        fewer=fewer,
        more=more,
        gain_frac=math.expm1(fmean(logs)),
        ci95_frac=_expm1_interval(estimate_mean_interval(logs)),
        doubling_frac=math.expm1(fmean(each)),
        doubling_ci95_frac=_expm1_interval(estimate_mean_interval(each)),
        blocks=len(logs),
        io_added_cpus=fmean(added) if added else None,
        io_added_ci95_cpus=estimate_mean_interval(added) if len(added) == len(pairs) else None,
    )


def _log_ratios(mine: Mapping[int, TrialDone], others: Mapping[int, TrialDone]) -> list[float]:
    """Return ln(others / mine) of each block that has both."""
    return [math.log(others[block].mean_tps / mine[block].mean_tps) for block in mine if block in others]


def _mean_cpus_used(trials: Sequence[TrialDone], domain: str) -> float | None:
    known = [part for trial in trials for name, part in trial.used_frac.items() if name == domain]
    return fmean(known) if known else None


def _exp_interval(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    return (math.exp(ends[0]), math.exp(ends[1])) if ends else None


def _expm1_interval(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    return (math.expm1(ends[0]), math.expm1(ends[1])) if ends else None
