"""The line that `micro` prints, read; and what dearer page faults by themselves would cost each item.

Nothing is fitted: an item's faults on the base, times what one costs more on the other side. Beside the slowdown that
was measured, it says how much of it page faults can be, which no correlation does.
"""

from collections.abc import Mapping
from statistics import fmean
from typing import Annotated

import msgspec

from scheduler.errors import SpecError
from scheduler.studies.overhead.query_costs import CostsBySide

_FORMAT = 1
_NS_PER_S = 1e9
_SHOWN = 60

_Positive = Annotated[float, msgspec.Meta(gt=0)]


class NanosecondQuartiles(msgspec.Struct, frozen=True):
    """Over rounds, in ns of CPU time."""

    median: _Positive
    quartiles: tuple[float, float]


class MicroMeasurement(msgspec.Struct, frozen=True, kw_only=True):
    """What a page fault and a system call cost on one side.

    Attributes:
        format: Of the line.
        fault_ns: A minor page fault of 4 KiB, its page cleared.
        call_ns: A system call.
        rounds: How many rounds.
        faults_per_page: 1 where each page faulted once; less where the kernel maps several at a time.
        wall_per_cpu: How much longer all took by the wall clock; 1 on a computer with nothing else to do.
    """

    format: int
    fault_ns: NanosecondQuartiles
    call_ns: NanosecondQuartiles
    rounds: int
    faults_per_page: _Positive
    wall_per_cpu: _Positive


def parse_micro_line(line: str) -> MicroMeasurement:
    """Return what stands in a line that `micro` printed; raises SpecError."""
    try:
        found = msgspec.json.decode(line, type=MicroMeasurement)
    except msgspec.DecodeError as error:
        raise SpecError(
            "micro", f"{line.strip()[:_SHOWN]!r} is no line of micro.py: {error}", hint="Run it again; copy its line."
        ) from error
    if found.format != _FORMAT:
        raise SpecError(
            "micro", f"the line has format {found.format}, not {_FORMAT}", hint="Copy micro.py of this version there."
        )
    return found


def slowdown_by_faults(
    costs: CostsBySide, base: str, sides: Mapping[str, MicroMeasurement], other: str
) -> dict[str, float]:
    """Return item to the slowdown that dearer page faults make, as a part of its time on the base.

    Args:
        costs: What everything cost.
        base: Name of the side that is compared with.
        sides: Side to its micro-measurement.
        other: Name of the other one.
    """
    more_s = (sides[other].fault_ns.median - sides[base].fault_ns.median) / _NS_PER_S
    seen: dict[str, list[tuple[float, float]]] = {}
    for block in costs[base].values():
        for item, cost in block.items():
            if cost.faults is not None:
                seen.setdefault(item, []).append((cost.faults, cost.time_s))
    return {
        item: more_s * fmean(faults for faults, _ in known) / fmean(time_s for _, time_s in known)
        for item, known in seen.items()
    }
