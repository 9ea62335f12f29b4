"""Read-only tables from rows: the twin of every plot, and every other table of the window."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from app.words import full

Cell = str | float | int | bool | None
_LOOKED_AT = 30  # rows that columns are made wide enough for: all of a thousand take longer than a frame
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Table:
    """Headers with their units, and rows; numbers stay numbers, so that they sort and export in full.

    Attributes:
        headers: One per column, the unit in parentheses.
        rows: One cell per column; None is shown as a dash.
    """

    headers: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]] = ()

    def to_csv(self) -> str:
        """Return the table as CSV (RFC 4180), numbers in full, empty for None."""
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(self.headers)
        writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)
        return text.getvalue()


def show_cell(cell: Cell) -> str:
    """Return a cell as people read it."""
    if cell is None:
        return "\N{EM DASH}"
    if isinstance(cell, bool):
        return "\N{CHECK MARK}" if cell else "\N{EM DASH}"
    if isinstance(cell, float):
        return full(cell)
    return str(cell)


class TableModel(QAbstractTableModel):
    """A `Table` for Qt's views; sorts by `UserRole`, which holds the raw cell."""

    def __init__(self, table: Table | None = None) -> None:
        super().__init__()
        self._table = table or Table(())

    @property
    def table(self) -> Table:
        """What is shown."""
        return self._table

    def set_table(self, table: Table) -> None:
        """Show another table."""
        self.beginResetModel()
        self._table = table
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        """Return the number of rows."""
        return 0 if parent is not None and parent.isValid() else len(self._table.rows)

    def columnCount(self, parent: _Index | None = None) -> int:
        """Return the number of columns."""
        return 0 if parent is not None and parent.isValid() else len(self._table.headers)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, raw cell or alignment; words may be elided, so they stand in the tooltip, too."""
        if not index.isValid():
            return None
        cell = self._table.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return show_cell(cell)
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell if isinstance(cell, str) else None
        if role == Qt.ItemDataRole.UserRole:
            return float("-inf") if cell is None else cell
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if isinstance(cell, float | int) else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the headers; numbers are headed on the right."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._table.headers[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and self._table.rows:
            number = any(isinstance(row[section], float | int) for row in self._table.rows[:20])
            side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None


class TableView(QTableView):
    """A read-only, sortable table; Ctrl+C copies the selected rows as tab-separated text, headers included."""

    def __init__(self, name: str, table: Table | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.source = TableModel(table)
        self.source.setParent(self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.source)
        self._sorted.setSortRole(Qt.ItemDataRole.UserRole)
        self.setModel(self._sorted)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().setVisible(False)
        self.verticalHeader().setDefaultSectionSize(30)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setResizeContentsPrecision(_LOOKED_AT)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)

    def set_table(self, table: Table) -> None:
        """Show another table; the order of columns and the sorting stay."""
        self.source.set_table(table)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy on Ctrl+C."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
            return
        super().keyPressEvent(event)

    def selected_text(self) -> str:
        """Return the selected rows, or all when none is selected, as tab-separated text with headers."""
        rows = sorted({index.row() for index in self.selectedIndexes()}) or range(self._sorted.rowCount())
        columns = range(self._sorted.columnCount())
        lines = ["\t".join(self.source.table.headers)]
        lines += ["\t".join(str(self._sorted.index(row, column).data() or "") for column in columns) for row in rows]
        return "\n".join(lines) + "\n"
