"""Figures by kind of operation, for loads with several kinds."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

REPEATED_KIND = "repeated"
"""Name of the operations that the server asked to repeat, in the figures of a load with several kinds."""


class OperationFigures(msgspec.Struct, frozen=True):
    """Figures of one kind of operation.

    Attributes:
        per_min: Operations that ended, per minute.
        p50_ms: Median service time; None when none is measured.
        p95_ms: 95th percentile of the service time; None when none is measured.
    """

    per_min: float
    p50_ms: float | None = None
    p95_ms: float | None = None


def average_operations(trials: Sequence[Mapping[str, OperationFigures]]) -> dict[str, OperationFigures]:
    """Return the mean of each kind over trials; a missing kind counts as rate 0."""
    names = dict.fromkeys(name for trial in trials for name in trial)
    return {name: _average_operation(name, trials) for name in sorted(names)}


def _average_operation(name: str, trials: Sequence[Mapping[str, OperationFigures]]) -> OperationFigures:
    found = [trial[name] for trial in trials if name in trial]
    return OperationFigures(
        per_min=sum(figures.per_min for figures in found) / len(trials),
        p50_ms=_mean_of_known(figures.p50_ms for figures in found),
        p95_ms=_mean_of_known(figures.p95_ms for figures in found),
    )


def _mean_of_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
