"""What the named groups of a match mean."""

import math

import msgspec

from scheduler.loads.command.matching import Groups

TIMES = {"latency_ms": "latency", "p50_ms": "p50", "p95_ms": "p95", "p99_ms": "p99"}
"""Named group to what a second of a load calls it."""
GROUPS = frozenset({"rate", "count", "errors", *TIMES})
_MOST = 1e12  # a second: beyond any program, and what is added up stays exact


class Figures(msgspec.Struct, frozen=True):
    """What one line says.

    Attributes:
        figure: Operations per second, or since the line before.
        counts: True for the latter.
        errors: Operations that failed.
        times_ms: Service times, by `TIMES`.
    """

    figure: float
    counts: bool
    errors: int = 0
    times_ms: dict[str, float] = {}


def figures_of(groups: Groups) -> Figures | None:
    """Return what a line says; None where its figure is none, or no rate."""
    figure = _number(groups.get("rate") or groups.get("count"))
    if figure is None:
        return None
    times = {word: _number(groups.get(group)) for group, word in TIMES.items()}
    known = {word: time_ms for word, time_ms in times.items() if time_ms is not None}
    return Figures(figure, "count" in groups, round(_number(groups.get("errors")) or 0), known)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value <= _MOST and not math.isnan(value) else None
