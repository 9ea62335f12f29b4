"""Conversion of a table value into the rows of a window's table."""

from collections.abc import Iterator

from app.display_texts import typeset_text
from app.load_texts import load_name
from app.widgets.table import TableData
from app.widgets.table_cells import Cell
from scheduler.model.estimate import Estimate
from scheduler.model.table import CellForm, Column, Table, TableCell

_PERCENT = frozenset((CellForm.PERCENT, CellForm.CHANGE))


def table_data(table: Table) -> TableData:
    """Return a table in full precision for the window.

    Percentages are 0..100. An interval has two further columns.
    """
    with_ends = [any(isinstance(row[at], Estimate) for row in table.rows) for at in range(len(table.columns))]
    columns = list(zip(table.columns, with_ends, strict=True))
    headers = tuple(header for column, has_ends in columns for header in _headers(column, has_ends=has_ends))
    rows = [
        tuple(
            value
            for (column, has_ends), cell in zip(columns, row, strict=True)
            for value in _cells(column, cell, has_ends=has_ends)
        )
        for row in table.rows
    ]
    return TableData(headers, rows)


def _headers(column: Column, *, has_ends: bool) -> Iterator[str]:
    unit = "%" if column.form in _PERCENT else column.unit
    titles = (f"{column.title}{end}" for end in ("", ", 95 % from", ", 95 % to")[: 3 if has_ends else 1])
    yield from (f"{title} ({unit})" if unit else title for title in titles)


def _cells(column: Column, cell: TableCell, *, has_ends: bool) -> Iterator[Cell]:
    if column.form is CellForm.LOAD:
        yield load_name(str(cell))
        return
    if not has_ends:
        yield _scaled(column, cell if not isinstance(cell, Estimate) else cell.value)
        return
    value, low, high = cell if isinstance(cell, Estimate) else (None, None, None)
    yield from (_scaled(column, each) for each in (value, low, high))


def _scaled(column: Column, cell: str | float | None) -> Cell:
    if isinstance(cell, str):
        return typeset_text(cell)
    return 100 * cell if cell is not None and column.form in _PERCENT else cell
