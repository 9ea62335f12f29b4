"""Cells of a table as text for the report."""

from collections.abc import Iterator
from typing import NamedTuple

from scheduler.model.estimate import Estimate
from scheduler.model.number_texts import (
    NOTHING,
    format_interval,
    format_percent,
    format_signed_percent,
    format_table_number,
)
from scheduler.model.table import CellForm, Column, Table, TableCell

_DASH = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"  # as wide as a plus
_NUMBERS = frozenset((CellForm.COUNT, CellForm.NUMBER, CellForm.PERCENT, CellForm.CHANGE))


class CellText(NamedTuple):
    """One cell as text.

    Attributes:
        form: Form of the cell.
        text: The text, or the load kind.
        interval: Interval next to the figure; may be empty.
        is_number: True for figures, which are right-aligned.
    """

    form: CellForm
    text: str
    interval: str = ""
    is_number: bool = False


def heading_cells(table: Table) -> Iterator[CellText]:
    """Yield the headings with units; a separate interval has its own heading."""
    for column in table.columns:
        is_number = column.form in _NUMBERS
        yield CellText(CellForm.TEXT, ", ".join(filter(None, (column.title, column.unit))), is_number=is_number)
        if column.span:
            yield CellText(CellForm.TEXT, column.span, is_number=True)


def row_cells(table: Table) -> Iterator[list[CellText]]:
    """Yield the cells of each row."""
    for row in table.rows:
        yield [text for column, cell in zip(table.columns, row, strict=True) for text in _write_cell(column, cell)]


def number_text(value: float | None, decimals: int | None = None) -> str:
    """Return a number for a table of the report, or a dash for None.

    Args:
        value: The number, or None.
        decimals: Decimals, >= 0; None chooses them by size.
    """
    return dash_for_nothing(format_table_number(value, decimals))


def dash_for_nothing(text: str) -> str:
    """Return a figure with a typographic minus, or a dash for no figure."""
    return _DASH if text == NOTHING else typographic_minus(text)


def typographic_minus(text: str) -> str:
    """Return a text with minus signs for its hyphens."""
    return text.replace("-", _MINUS)


def _write_cell(column: Column, cell: TableCell) -> Iterator[CellText]:
    if column.form not in _NUMBERS:
        yield CellText(column.form, _DASH if cell is None else str(cell))
        return
    ends = cell.ends if isinstance(cell, Estimate) else None
    value = cell.value if isinstance(cell, Estimate) else cell
    text = value if isinstance(value, str) else _write_figure(column, value)
    span = _write_interval(column, ends)
    yield CellText(column.form, text, "" if column.span else span, is_number=True)
    if column.span:
        yield CellText(CellForm.TEXT, span or _DASH, is_number=True)


def _write_figure(column: Column, value: float | None) -> str:
    match column.form:
        case CellForm.PERCENT:
            return dash_for_nothing(format_percent(value))
        case CellForm.CHANGE:
            return dash_for_nothing(format_signed_percent(value))
        case CellForm.COUNT:
            return number_text(value, 0)
        case _:
            return number_text(value, column.decimals)


def _write_interval(column: Column, ends: tuple[float, float] | None) -> str:
    if ends is None:
        return ""
    if column.form in (CellForm.PERCENT, CellForm.CHANGE):
        return typographic_minus(format_interval(*ends))
    return " to ".join(number_text(end, column.decimals) for end in ends)
