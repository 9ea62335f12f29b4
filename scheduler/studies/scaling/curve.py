"""From visits to what each number of vCPUs gives, and what each step between neighbouring numbers gains.

A block visits every number once. What its moment does to all of them cancels in differences of ln(throughput) within
it, so the block is the replicate: intervals are Student's over blocks (`stats/replicates.py`).
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from scheduler.model.documents import VisitDone
from scheduler.model.facts import HostFacts
from scheduler.model.findings import Filled, Size, Step
from scheduler.model.natives import Native
from scheduler.model.setting import VcpusSetting
from scheduler.model.split import GUEST, IO
from scheduler.stats.replicates import interval
from scheduler.studies.scaling.filling import Filling, filled_by

Blocks = Mapping[int, Mapping[int, VisitDone]]
"""Number of vCPUs to block to the valid visit."""


def blocks_of(visits: Sequence[VisitDone], load: str, *, base: bool = False) -> Blocks:
    """Return the valid visits to the guest, or to the base, under a load, by ascending number of vCPUs.

    A visit without throughput is none.
    """
    found: dict[int, dict[int, VisitDone]] = {}
    for visit in visits:
        setting, counts = visit.setting, visit.load == load and visit.valid and visit.mean_tps > 0
        if counts and isinstance(setting, VcpusSetting) and setting.base == base:
            found.setdefault(setting.vcpus, {})[visit.block] = visit
    return dict(sorted(found.items()))


def sizes_of(blocks: Blocks, facts: HostFacts | None) -> tuple[Size, ...]:
    """Return one record per number of vCPUs that shares a block with the smallest; the smallest first."""
    if not blocks:
        return ()
    least = next(iter(blocks))
    return tuple(
        _size(number, blocks[number], blocks[least], facts, first=number == least)
        for number in blocks
        if blocks[number].keys() & blocks[least].keys()
    )


def steps_of(blocks: Blocks) -> tuple[Step, ...]:
    """Return one record per pair of neighbouring numbers that share a block."""
    return tuple(
        _step(fewer, more, blocks[fewer], blocks[more])
        for fewer, more in pairwise(blocks)
        if blocks[fewer].keys() & blocks[more].keys()
    )


def natives_of(blocks: Blocks, bases: Blocks) -> tuple[Native, ...]:
    """Return one record per number of which guest and base share a block."""
    pairs = {number: (blocks[number], bases[number]) for number in blocks if number in bases}
    return tuple(_native(number, *pair) for number, pair in pairs.items() if pair[0].keys() & pair[1].keys())


def _native(number: int, guest: Mapping[int, VisitDone], base: Mapping[int, VisitDone]) -> Native:
    both = [block for block in guest if block in base]
    logs = _logs(base, guest)
    return Native(
        load=guest[both[0]].load,
        unit=guest[both[0]].unit,
        vcpus=number,
        guest_tps=fmean(guest[block].mean_tps for block in both),
        base_tps=fmean(base[block].mean_tps for block in both),
        ratio=math.exp(fmean(logs)),
        ci95=_exp(interval(logs)),
        blocks=len(logs),
    )


def _size(
    number: int, mine: Mapping[int, VisitDone], least: Mapping[int, VisitDone], facts: HostFacts | None, *, first: bool
) -> Size:
    visits, logs = list(mine.values()), _logs(least, mine)
    seen = Filling(
        vcpus=number,
        guest_cpus=_received(visits, GUEST),
        io_cpus=_received(visits, IO),
        client_frac=fmean(visit.client_cpu_frac for visit in visits),
        clients_frac=fmean(visit.clients_cpu_frac for visit in visits),
        stolen_frac=fmean(visit.stolen_frac or 0.0 for visit in visits),
    )
    return Size(
        load=visits[0].load,
        unit=visits[0].unit,
        vcpus=number,
        mean_tps=fmean(visit.mean_tps for visit in visits),
        ratio=math.exp(fmean(logs)),
        ci95=None if first else _exp(interval(logs)),
        blocks=len(logs),
        guest_cpus=seen.guest_cpus,
        io_cpus=seen.io_cpus,
        client_frac=max(seen.client_frac, seen.clients_frac),
        filled=filled_by(seen, facts) if seen.guest_cpus is not None else Filled.UNKNOWN,
    )


def _step(fewer: int, more: int, mine: Mapping[int, VisitDone], others: Mapping[int, VisitDone]) -> Step:
    logs, doublings = _logs(mine, others), math.log2(more / fewer)
    each = [value / doublings for value in logs]
    pairs = [(mine[block], others[block]) for block in mine if block in others]
    added = [
        two.delivered_frac[IO] - one.delivered_frac[IO]
        for one, two in pairs
        if IO in one.delivered_frac and IO in two.delivered_frac
    ]
    return Step(
        load=pairs[0][0].load,
        fewer=fewer,
        more=more,
        gain_frac=math.expm1(fmean(logs)),
        ci95_frac=_expm1(interval(logs)),
        doubling_frac=math.expm1(fmean(each)),
        doubling_ci95_frac=_expm1(interval(each)),
        blocks=len(logs),
        io_added_cpus=fmean(added) if added else None,
        io_added_ci95_cpus=interval(added) if len(added) == len(pairs) else None,
    )


def _logs(mine: Mapping[int, VisitDone], others: Mapping[int, VisitDone]) -> list[float]:
    """Return ln(others / mine) of each block that has both."""
    return [math.log(others[block].mean_tps / mine[block].mean_tps) for block in mine if block in others]


def _received(visits: Sequence[VisitDone], domain: str) -> float | None:
    known = [part for visit in visits for name, part in visit.delivered_frac.items() if name == domain]
    return fmean(known) if known else None


def _exp(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    return (math.exp(ends[0]), math.exp(ends[1])) if ends else None


def _expm1(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    return (math.expm1(ends[0]), math.expm1(ends[1])) if ends else None
