"""Micro-measurement of page faults: read the line of `micro`, predict slowdowns.

Nothing is fitted: the prediction is an item's number of page faults on the reference times the added cost of one fault
on the other side. Compared with the measured slowdown, the prediction shows the part that page faults can cause. A
correlation does not show that.
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
    """Median and quartiles over rounds, in ns of CPU time."""

    median: _Positive
    quartiles: tuple[float, float]


class MicroMeasurement(msgspec.Struct, frozen=True, kw_only=True):
    """Cost of a page fault and of a system call on one side.

    Attributes:
        format: Version of the line's format.
        fault_ns: CPU time of a minor page fault of 4 KiB, ns; the kernel clears the page.
        call_ns: CPU time of a system call, ns.
        rounds: Number of rounds.
        faults_per_page: 1 where each page faulted once; less where the kernel maps several pages at a time.
        wall_per_cpu: Wall-clock time over CPU time; 1 on an otherwise idle computer.
    """

    format: int
    fault_ns: NanosecondQuartiles
    call_ns: NanosecondQuartiles
    rounds: int
    faults_per_page: _Positive
    wall_per_cpu: _Positive


def parse_micro_line(line: str) -> MicroMeasurement:
    """Return the measurement in a line that `micro` printed.

    Raises:
        SpecError: The line has another format.
    """
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
    """Return item to the slowdown that more expensive page faults predict.

    The slowdown is a fraction of the item's time on the reference.

    Args:
        costs: Costs of all items.
        base: Name of the reference.
        sides: Side to its micro-measurement.
        other: Name of the other side.
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
