"""Further figures of a load: named numbers with their unit."""

import re
from collections.abc import Iterable
from statistics import median
from typing import Annotated

import msgspec

_MOST = 1e18  # limit of figures from other computers; a petabyte is 1e15


class NamedFigure(msgspec.Struct, frozen=True):
    """One figure.

    Attributes:
        name: Name of the figure for people: `Q17 time`.
        value: The number.
        unit: Its unit, `s` or `bytes`; empty for a plain number.
    """

    name: Annotated[str, msgspec.Meta(max_length=200)]
    value: Annotated[float, msgspec.Meta(ge=-_MOST, le=_MOST)]
    unit: Annotated[str, msgspec.Meta(max_length=20)]


_DIGITS = re.compile(r"([0-9]+)")


def median_figures(figures: Iterable[NamedFigure]) -> tuple[NamedFigure, ...]:
    """Return the median for each name and unit, sorted by name, `Q2` before `Q10`."""
    values: dict[tuple[str, str], list[float]] = {}
    for figure in figures:
        values.setdefault((figure.name, figure.unit), []).append(figure.value)
    ordered = sorted(values, key=lambda key: _natural_key(key[0]))
    return tuple(NamedFigure(name, median(values[name, unit]), unit) for name, unit in ordered)


def _natural_key(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (0, part) for part in _DIGITS.split(name)]
