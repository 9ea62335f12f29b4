"""Further figures of a load, beside its rate: named numbers with their unit."""

import re
from collections.abc import Iterable
from statistics import median
from typing import Annotated

import msgspec

_MOST = 1e18  # what workers of others send is bounded; a petabyte is 1e15


class NamedFigure(msgspec.Struct, frozen=True):
    """One figure.

    Attributes:
        name: What it is of, for people: `Q17 time`.
        value: The number.
        unit: Its unit, `s` or `bytes`; empty for a bare number.
    """

    name: Annotated[str, msgspec.Meta(max_length=200)]
    value: Annotated[float, msgspec.Meta(ge=-_MOST, le=_MOST)]
    unit: Annotated[str, msgspec.Meta(max_length=20)]


_DIGITS = re.compile(r"([0-9]+)")


def median_figures(figures: Iterable[NamedFigure]) -> tuple[NamedFigure, ...]:
    """Return one figure for each name and unit, their median; by name, `Q2` before `Q10`."""
    values: dict[tuple[str, str], list[float]] = {}
    for figure in figures:
        values.setdefault((figure.name, figure.unit), []).append(figure.value)
    ordered = sorted(values, key=lambda key: _natural_key(key[0]))
    return tuple(NamedFigure(name, median(values[name, unit]), unit) for name, unit in ordered)


def _natural_key(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (0, part) for part in _DIGITS.split(name)]
