"""Tables as values, which report, window and CSV write in the same way.

A study declares each table once. Cells are raw: numbers in full, fractions as fractions, loads by their kind. The
column defines the format of a cell.
"""

import enum
from typing import NamedTuple

import msgspec

from scheduler.model.estimate import Estimate


class CellForm(enum.Enum):
    """Format of the cells of a column."""

    TEXT = "text"
    NAME = "name"  # text that names its row
    LOAD = "load"  # a load kind, with its marker in the report
    COUNT = "count"  # a whole number
    NUMBER = "number"
    PERCENT = "percent"  # a fraction
    CHANGE = "change"  # a fraction, with its sign


class Column(NamedTuple):
    """One column.

    Attributes:
        title: Heading without the unit.
        form: Format of its cells.
        unit: Unit of its numbers; percent needs none.
        decimals: Decimals of its numbers; None chooses them by size.
        span: Heading of a separate column for the intervals; empty to write them next to the figures.
    """

    title: str
    form: CellForm = CellForm.TEXT
    unit: str = ""
    decimals: int | None = None
    span: str = ""


TableCell = str | float | int | Estimate | None


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """One table.

    Attributes:
        title: Description of its figures.
        columns: From left to right.
        rows: One cell per column; None where there is no figure.
        note: Units and meaning, as sentences; may be empty.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    note: str = ""
