"""Figures of the sorts of operations that a load has several of: transactions by kind, and what was counted apart."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

REPEATED_KIND = "repeated"
"""Sort of what the server asked to repeat: among the figures of a load that has several sorts."""


class OperationFigures(msgspec.Struct, frozen=True):
    """One sort of operation.

    Attributes:
        per_min: How many ended per minute.
        p50_ms: Service time, median; None where none is measured.
        p95_ms: 95th percentile.
    """

    per_min: float
    p50_ms: float | None = None
    p95_ms: float | None = None


def average_operations(trials: Sequence[Mapping[str, OperationFigures]]) -> dict[str, OperationFigures]:
    """Return each sort's mean over trials; one that a trial lacks was not met there."""
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
