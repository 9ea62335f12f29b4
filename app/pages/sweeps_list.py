"""List of sweeps: split, curves per load, host, date and verdict of each."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QRegularExpression,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QFontMetrics, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.pages.sweep_rows import SweepRow
from app.theme.theme import Theme
from app.theme.tokens import SIZE_LEAD_PT, SPACE_L, SPACE_M, SPACE_S
from app.widgets.labels import tooltip_text
from app.widgets.series_style import load_style
from app.widgets.split_bar import BAR_SIZE, paint_split
from scheduler.translation import _

_Index = QModelIndex | QPersistentModelIndex
_ROW = Qt.ItemDataRole.UserRole
_SPARK = QSize(128, 40)
_SPLIT_PX = 88
_VERDICT_PX = 276
_ROOMY_PX = 640
_BETWEEN = " \N{MIDDLE DOT} "


class SweepsModel(QAbstractListModel):
    """Model of the list; a row's text serves search and screen readers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: Sequence[SweepRow] = ()

    def set_rows(self, rows: Sequence[SweepRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        """Return the number of rows."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the row, its text or its tooltip."""
        row = self.rows[index.row()]
        if role == _ROW:
            return row
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return row.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip_text(row.text)
        return None


class SweepsList(QListView):
    """List of sweeps with search; Enter or a double click opens a sweep.

    Signals:
        opened: Id of the run to show.
        selected: Rows that are selected now.
        menu_wanted: Position of the menu on the screen.
    """

    opened = Signal(str)
    selected = Signal(list)
    menu_wanted = Signal(QPoint)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Sweeps, newest first"))
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(SweepDelegate(theme, self))
        self.source = SweepsModel(self)
        self._found = QSortFilterProxyModel(self)
        self._found.setSourceModel(self.source)
        self._found.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setModel(self._found)
        self.activated.connect(lambda index: self.opened.emit(index.data(_ROW).run_id))
        self.selectionModel().selectionChanged.connect(lambda: self.selected.emit(self.selected_rows()))

    def search(self, text: str) -> None:
        """Show only rows that contain every word, in any order."""
        if not text.strip():
            self._found.setFilterRegularExpression("")  # so that no row's text is made
            return
        words = "".join(f"(?=.*{QRegularExpression.escape(word)})" for word in text.split())
        whole = QRegularExpression.PatternOption.DotMatchesEverythingOption
        ignoring = QRegularExpression.PatternOption.CaseInsensitiveOption
        self._found.setFilterRegularExpression(QRegularExpression(f"^{words}", whole | ignoring))

    def select_run(self, run_id: str) -> None:
        """Select the sweep of a run if it is shown."""
        for row in range(self.model().rowCount()):
            index = self.model().index(row, 0)
            if run_id in index.data(_ROW).run_ids:
                self.setCurrentIndex(index)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request the menu; a right click selects an unselected row first."""
        where = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            index = self.indexAt(event.pos())
            if index.isValid() and not self.selectionModel().isSelected(index):
                self.setCurrentIndex(index)
        elif self.currentIndex().isValid():
            where = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).center())
        if self.selectedIndexes():
            self.menu_wanted.emit(where)

    def selected_rows(self) -> list[SweepRow]:
        """Return the selected rows, in the list's order."""
        return [index.data(_ROW) for index in sorted(self.selectedIndexes(), key=lambda index: index.row())]


class SweepDelegate(QStyledItemDelegate):
    """Delegate that paints a row of the list."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return a height for two lines of text."""
        del index
        return QSize(320, max(64, option.fontMetrics.height() * 2 + 2 * SPACE_M + 4))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw background, split, curves, texts and verdict."""
        row: SweepRow = index.data(_ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_background(painter, option)
        area = option.rect.adjusted(SPACE_L, SPACE_S, -SPACE_L, -SPACE_S)
        self._draw_split(painter, QRect(area.left(), area.top(), _SPLIT_PX, area.height()), row)
        roomy = area.width() >= _ROOMY_PX
        date_px = QFontMetrics(self._theme.font()).horizontalAdvance(row.date + _BETWEEN)
        left_px = area.width() - _SPLIT_PX - SPACE_M - SPACE_L - SPACE_S - date_px  # the date is never shortened
        verdict_px = _VERDICT_PX if roomy else max(0, min(area.width() // 3, left_px))
        verdict = QRect(area.right() - verdict_px, area.top(), verdict_px, area.height())
        spark_px = _SPARK.width() + SPACE_L if roomy else 0
        spark = QRect(verdict.left() - spark_px, area.top(), spark_px - SPACE_L, area.height())
        words = QRect(area.left() + _SPLIT_PX + SPACE_M, area.top(), 0, area.height())
        words.setRight(spark.left() - SPACE_L)
        self._two_lines(painter, words, row.name, row.date + _BETWEEN, row.host)
        if roomy:
            self._draw_sparkline(painter, QRectF(spark).adjusted(0, 6, 0, -6), row)
        room = QFontMetrics(self._theme.font()).horizontalAdvance(row.marks) <= verdict.width()
        self._two_lines(painter, verdict, row.verdict, row.marks if room else row.short_marks)
        painter.restore()

    def _draw_background(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        colours = self._theme.palette
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(colours.accent_soft))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, QColor(colours.hover))
        painter.setPen(QColor(colours.line))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.drawRect(option.rect.adjusted(1, 1, -2, -2))

    def _draw_split(self, painter: QPainter, area: QRect, row: SweepRow) -> None:
        size = BAR_SIZE
        top = area.center().y() - size.height() / 2 + 1
        bar = QRectF(area.left(), top, size.width(), size.height())
        paint_split(painter, bar, row.split, self._theme.palette)
        painter.setFont(self._theme.font(weight=QFont.Weight.DemiBold))
        painter.setPen(QColor(self._theme.palette.text))
        label = row.split.label if row.split else "\N{EM DASH}"
        words = area.adjusted(size.width() + SPACE_S, 0, 0, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, label)

    def _two_lines(self, painter: QPainter, area: QRect, first: str, second: str, name: str = "") -> None:
        """Draw two lines; of the second, only `name` is elided, in its middle."""
        colours = self._theme.palette
        strong = self._theme.font(SIZE_LEAD_PT - 1, QFont.Weight.DemiBold)
        for font, colour, text, at in (
            (strong, colours.text, first, Qt.AlignmentFlag.AlignTop if second else Qt.AlignmentFlag.AlignVCenter),
            (self._theme.font(), colours.dim, second, Qt.AlignmentFlag.AlignBottom),
        ):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            metrics = painter.fontMetrics()
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
            if name and text is second and shown == text:
                room_px = area.width() - metrics.horizontalAdvance(text)
                shown += metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room_px)
            painter.drawText(area.adjusted(0, 2, 0, -2), at | Qt.AlignmentFlag.AlignLeft, shown)

    def _draw_sparkline(self, painter: QPainter, area: QRectF, row: SweepRow) -> None:
        for kind, curve in row.curves.items():
            colour = QColor(load_style(kind, self._theme.palette).colour)
            points = [QPointF(area.left() + x * area.width(), area.bottom() - y * area.height()) for x, y in curve]
            painter.setPen(QPen(colour, 1.5))
            painter.drawPolyline(QPolygonF(points))
        if row.split is not None and row.curves:
            x = area.left() + row.split.io_frac * area.width()
            painter.setPen(QPen(QColor(self._theme.palette.accent), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, area.top() - 4), QPointF(x, area.bottom() + 4))
