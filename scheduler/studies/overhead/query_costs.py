"""Cost of a query, from the figures of a trial: `Q6 time`, `Q6 user CPU`, ..."""

import re
from collections.abc import Callable, Iterable, Mapping

import msgspec

from scheduler.model.named_figures import NamedFigure

_NAME = re.compile(r"(\S+) (.+)")
_MS_PER_S = 1_000.0


class QueryCost(msgspec.Struct, frozen=True, kw_only=True):
    """Cost of one execution of a query, or the median over a trial.

    None for a cost that was not measured.

    Attributes:
        time_s: Seconds from the query to its whole answer, > 0.
        user_s: CPU seconds of the back end in user mode.
        system_s: CPU seconds of the back end in system mode.
        workers_s: CPU seconds of the database's I/O workers, which work while the back end waits.
        faults: Number of page faults of back end and I/O workers.
        cpu_wait_s: Seconds in which the back end was ready to run and waited for a CPU.
        io_wait_s: Seconds in which the back end waited for a disk.
        read_bytes: Bytes that back end and I/O workers read from a disk.
    """

    time_s: float
    user_s: float | None = None
    system_s: float | None = None
    workers_s: float | None = None
    faults: float | None = None
    cpu_wait_s: float | None = None
    io_wait_s: float | None = None
    read_bytes: float | None = None

    @property
    def cpu_s(self) -> float | None:
        """CPU seconds of the back end; None where unknown.

        Other users of the CPU hardly change this figure.
        """
        return None if self.user_s is None or self.system_s is None else self.user_s + self.system_s

    @property
    def rest_s(self) -> float | None:
        """Seconds without CPU and waits of the back end; None where unknown.

        This is the time of network, client and I/O workers.
        """
        if self.cpu_s is None or self.cpu_wait_s is None:
            return None
        return self.time_s - self.cpu_s - self.cpu_wait_s - (self.io_wait_s or 0.0)


CostsBySide = Mapping[str, Mapping[int, Mapping[str, QueryCost]]]
"""Side to block to item to its cost."""

_COST_FIELDS: Mapping[str, tuple[str, float]] = {
    "time": ("time_s", _MS_PER_S),
    "user CPU": ("user_s", _MS_PER_S),
    "system CPU": ("system_s", _MS_PER_S),
    "CPU of I/O workers": ("workers_s", _MS_PER_S),
    "page faults": ("faults", 1.0),
    "page faults of I/O workers": ("faults", 1.0),
    "waiting for the CPU": ("cpu_wait_s", _MS_PER_S),
    "waiting for the disk": ("io_wait_s", _MS_PER_S),
    "read": ("read_bytes", 1.0),
    "read of I/O workers": ("read_bytes", 1.0),
}
"""Name of a figure in `loads/tpch/query_counters.py` to its field, and the figure's units per unit of the field.

Figures of one field are added.
"""


def read_costs(figures: Iterable[NamedFigure]) -> dict[str, QueryCost]:
    """Return item (`Q6`) to its cost.

    Other figures are ignored, and items without a time are left out.
    """
    found: dict[str, dict[str, float]] = {}
    for figure in figures:
        named = _NAME.fullmatch(figure.name)
        if named is None or named[2] not in _COST_FIELDS:
            continue
        field, per = _COST_FIELDS[named[2]]
        fields = found.setdefault(named[1], {})
        fields[field] = fields.get(field, 0.0) + figure.value / per
    return {item: msgspec.convert(fields, QueryCost) for item, fields in found.items() if fields.get("time_s", 0.0) > 0}


def select_times(
    costs: CostsBySide, value: Callable[[QueryCost], float | None] = lambda cost: cost.time_s
) -> dict[str, dict[int, dict[str, float]]]:
    """Return one value of each cost, as input of `slowdown.compare_sides`.

    Values that are unknown or 0 are left out.

    Args:
        costs: Costs of all items.
        value: Returns the value of a cost; the time by default.
    """
    return {
        side: {
            block: {item: seconds for item, cost in items.items() if (seconds := value(cost))}
            for block, items in blocks.items()
        }
        for side, blocks in costs.items()
    }
