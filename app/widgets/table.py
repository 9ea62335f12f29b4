"""Read-only tables; every plot has one."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from app.widgets.labels import tooltip_text
from app.widgets.table_cells import CELL_ROLE, LEFT, RIGHT, Cell, CellDelegate, SettingCell, cell_alignment, show_cell

_LOOKED_AT = 30  # rows measured for the column widths; a thousand rows would take longer than a frame
_HEADING_PX = 18  # padding of a heading in the style sheet, and its edge
_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
# Plain numbers, because comparing members of an enumeration takes far longer.
_DISPLAY, _TOOL_TIP, _SORTED_BY, _ALIGNMENT = (
    int(role) for role in (_Role.DisplayRole, _Role.ToolTipRole, _Role.UserRole, _Role.TextAlignmentRole)
)


@dataclass(frozen=True, slots=True)
class TableData:
    """Headers with units, and rows whose numbers keep full precision.

    Attributes:
        headers: One per column, the unit in parentheses.
        rows: One cell per column; None is shown as a dash.
        tips: Explanation by header; other headers show themselves as tooltip.
    """

    headers: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]] = ()
    tips: Mapping[str, str] = field(default_factory=dict)

    def to_csv(self) -> str:
        """Return the table as CSV (RFC 4180) in full precision; None is an empty cell."""
        return self._write("excel")

    def to_tsv(self) -> str:
        """Return the table as tab-separated text in full precision."""
        return self._write("excel-tab")

    def _write(self, dialect: str) -> str:
        text = io.StringIO()
        writer = csv.writer(text, dialect)
        writer.writerow(self.headers)
        writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)
        return text.getvalue()


class TableModel(QAbstractTableModel):
    """Qt model of a `TableData`; `UserRole` holds the raw cell for sorting."""

    def __init__(self, table: TableData | None = None) -> None:
        super().__init__()
        self._table = table or TableData(())

    @property
    def table(self) -> TableData:
        """The current table."""
        return self._table

    def set_table(self, table: TableData) -> None:
        """Set the table."""
        if table == self._table:
            return
        if table.headers == self._table.headers and len(table.rows) == len(self._table.rows) > 0:
            self._table = table  # same shape: columns, order and selection stay
            last = len(table.headers) - 1
            self.dataChanged.emit(self.index(0, 0), self.index(len(table.rows) - 1, last))
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)
            return
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
        """Return the text, raw cell, alignment or tooltip of a cell.

        The tooltip repeats a text, because a narrow column shortens it.
        """
        if not index.isValid():
            return None
        cell = self._table.rows[index.row()][index.column()]
        if role == CELL_ROLE:
            return cell
        if role == _DISPLAY:
            return show_cell(cell)
        if role == _TOOL_TIP:
            return tooltip_text(str(cell)) if isinstance(cell, str | SettingCell) else None
        if role == _SORTED_BY:
            return float("-inf") if cell is None else cell.text if isinstance(cell, SettingCell) else cell
        return int(cell_alignment(cell)) if role == _ALIGNMENT else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a header, its alignment or its tooltip."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role in (_DISPLAY, _TOOL_TIP):
            header = self._table.headers[section]
            return header if role == _DISPLAY else tooltip_text(self._table.tips.get(header, header))
        if role == Qt.ItemDataRole.TextAlignmentRole and self._table.rows:
            number = any(isinstance(row[section], float | int) for row in self._table.rows[:20])
            return int(RIGHT if number else LEFT)
        return None


class TableView(QTableView):
    """Read-only, sortable table; Ctrl+C copies rows as tab-separated text."""

    def __init__(self, name: str, table: TableData | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.source = TableModel(table)
        self.source.setParent(self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.source)
        self._sorted.setSortRole(Qt.ItemDataRole.UserRole)
        self.setModel(self._sorted)
        self.setItemDelegate(CellDelegate(self))
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
        self._shares = False
        self._needs_px: list[int] = []
        for changed in (self.source.modelReset, self.source.dataChanged, self.source.headerDataChanged):
            changed.connect(self._reset_needs)

    def share_width(self) -> None:
        """Distribute the width over the columns; keep each as wide as its text.

        The table scrolls where the width is too small.
        """
        self._shares = True
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.source.modelReset.connect(self._share)
        self._share()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Distribute the changed width."""
        super().resizeEvent(event)
        if self._shares:
            self._share()

    @property
    def needs_px(self) -> int:
        """Width of all texts and the vertical scroll bar, pixels."""
        return sum(self._column_needs_px()) + self.verticalScrollBar().sizeHint().width() + 2 * self.frameWidth()

    def changeEvent(self, event: QEvent) -> None:
        """Clear the column widths that were measured in another font."""
        self._reset_needs()
        super().changeEvent(event)

    def _reset_needs(self) -> None:
        self._needs_px = []

    def _column_needs_px(self) -> list[int]:
        """Return the width that each column needs, pixels.

        The result is cached, because asking each cell takes milliseconds.
        """
        if not self._needs_px:
            self.horizontalHeader().ensurePolished()  # the style sheet sets the font that is measured
            words = self.horizontalHeader().fontMetrics()
            self._needs_px = [
                max(words.horizontalAdvance(text) + _HEADING_PX, self.sizeHintForColumn(column))
                for column, text in enumerate(self.source.table.headers)
            ]
        return self._needs_px

    def _share(self) -> None:
        needs = self._column_needs_px()
        more_px = max(0, self.viewport().width() - sum(needs)) // max(1, len(needs))
        for column, needs_px in enumerate(needs):
            self.horizontalHeader().resizeSection(column, needs_px + more_px)

    def set_table(self, table: TableData) -> None:
        """Set the table; keep the order of columns and the sorting."""
        self.source.set_table(table)

    def select_row(self, row: int) -> None:
        """Select a row by its number in the unsorted table."""
        self.selectRow(self._sorted.mapFromSource(self.source.index(row, 0)).row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy on Ctrl+C."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
            return
        super().keyPressEvent(event)

    def selected_text(self) -> str:
        """Return the selected rows, or all rows, as tab-separated text with headers."""
        rows = sorted({index.row() for index in self.selectedIndexes()}) or range(self._sorted.rowCount())
        columns = range(self._sorted.columnCount())
        lines = ["\t".join(self.source.table.headers)]
        lines += ["\t".join(str(self._sorted.index(row, column).data() or "") for column in columns) for row in rows]
        return "\n".join(lines) + "\n"
