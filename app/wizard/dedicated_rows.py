"""Rows of splits into whole CPUs, each with a boundary to drag."""

import itertools
from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme.theme import Theme
from app.theme.tokens import CORNER, Palette
from scheduler.model.split import MAX_RATIO
from scheduler.translation import _

_ROW_PX = 36
_REASON_PX = 18
_BAR_PX = 22
_LABEL_PX = 76
_CROSS_PX = 28
_LEAST_CELL_PX = 4  # narrower cells have no lines between them


class WholeSplit(NamedTuple):
    """Split into whole CPUs.

    Attributes:
        label: Its label, `2:6`.
        io_cpus: CPUs of the I/O domain; 0 where the split gives no whole CPUs.
        cpus: Number of shared CPUs.
        io_most: CPUs that the I/O domain can use: its vCPUs.
        guest_most: CPUs that the guest can use: its vCPUs.
        reason: Reason why a domain cannot use all its CPUs, or why the split cannot be set; empty for none.
    """

    label: str
    io_cpus: int
    cpus: int
    io_most: int
    guest_most: int
    reason: str = ""


def list_whole_counts(cpus: int) -> range:
    """Return the numbers of CPUs that the I/O domain can have.

    Args:
        cpus: Number of shared CPUs.
    """
    least = ceil(cpus / (MAX_RATIO + 1))
    return range(least, cpus - least + 1)


def nearest_count(wanted: float, cpus: int, taken: Sequence[int]) -> int | None:
    """Return the free number of CPUs nearest to a position; None when all are taken.

    Args:
        wanted: Number of CPUs, with fractions.
        cpus: Number of shared CPUs.
        taken: Numbers that are in use.
    """
    free = [count for count in list_whole_counts(cpus) if count not in taken]
    return min(free, key=lambda count: abs(count - wanted), default=None)


def widest_gap_count(cpus: int, taken: Sequence[int]) -> int | None:
    """Return the free number in the middle of the widest gap; None for none.

    Args:
        cpus: Number of shared CPUs.
        taken: Numbers that are in use.
    """
    known = sorted({0, *taken, cpus})
    low, high = max(itertools.pairwise(known), key=lambda pair: pair[1] - pair[0])
    return nearest_count((low + high) / 2, cpus, taken)


class DedicatedRows(QWidget):
    """Rows of splits into whole CPUs; `show_splits` shows a change.

    Up and Down choose a row, Left and Right move its boundary, Delete removes the row.

    Signals:
        moved: Index of a row, and the new number of CPUs of the I/O domain.
        removed: Index of a row.
    """

    moved = Signal(int, int)
    removed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: Sequence[WholeSplit] = ()
        self._current = 0
        self._dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleDescription(
            _("Up and down choose a split, left and right move its boundary, Delete removes it.")
        )
        theme.changed.connect(self.update)

    @property
    def current(self) -> int:
        """Index of the row that keys act upon."""
        return max(0, min(self._current, len(self._rows) - 1))

    def show_splits(self, rows: Sequence[WholeSplit]) -> None:
        """Show these splits, in the order of their I/O domain's CPUs."""
        self._rows = rows
        self.setFixedHeight(max(_ROW_PX, round(self._top_of(len(rows)))))
        self._update_name()
        self.update()

    def choose(self, index: int) -> None:
        """Choose the row that keys act upon."""
        self._current = index
        self._update_name()
        self.update()

    def sizeHint(self) -> QSize:
        """Return a comfortable size."""
        return QSize(600, self.height())

    def minimumSizeHint(self) -> QSize:
        """Return the least width at which cells are distinct."""
        return QSize(260, self.height())

    def bar(self, index: int) -> QRectF:
        """Return the area of a row's cells.

        Args:
            index: Index of the row.
        """
        top = self._top_of(index) + (_ROW_PX - _BAR_PX) / 2
        return QRectF(_LABEL_PX, top, max(1, self.width() - _LABEL_PX - _CROSS_PX), _BAR_PX)

    def _top_of(self, index: int) -> float:
        return sum(_ROW_PX + (_REASON_PX if row.reason else 0) for row in self._rows[:index])

    def _row_at(self, y: float) -> int | None:
        tops = [self._top_of(index) for index in range(len(self._rows) + 1)]
        return next((index for index in range(len(self._rows)) if tops[index] <= y < tops[index + 1]), None)

    def _cross(self, index: int) -> QRectF:
        bar = self.bar(index)
        return QRectF(bar.right() + 6, bar.top() + 2, 18, 18)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Move the boundary of the row under the pointer, or remove the row by its cross."""
        index = self._row_at(event.position().y())
        if event.button() != Qt.MouseButton.LeftButton or index is None:
            return
        self.choose(index)
        if self._cross(index).contains(event.position()):
            self.removed.emit(index)
        elif self.bar(index).adjusted(-8, -6, 8, 6).contains(event.position()):
            self._dragging = True
            self._move_to(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the boundary of the chosen row."""
        if self._dragging:
            self._move_to(event.position())
            return
        index = self._row_at(event.position().y())
        over = index is not None and self.bar(index).contains(event.position())
        self.setCursor(Qt.CursorShape.SplitHCursor if over else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag."""
        del event
        self._dragging = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose a row, move its boundary or remove it."""
        key = event.key()
        if not self._rows or key not in _KEYS:
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.choose(max(0, min(self.current + (1 if key == Qt.Key.Key_Down else -1), len(self._rows) - 1)))
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._step(1 if key == Qt.Key.Key_Right else -1)
        else:
            self.removed.emit(self.current)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Mark the row that keys act upon."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Unmark the row that keys act upon."""
        super().focusOutEvent(event)
        self.update()

    def _taken(self, index: int) -> list[int]:
        return [row.io_cpus for at, row in enumerate(self._rows) if at != index]

    def _move_to(self, place: QPointF) -> None:
        bar, row = self.bar(self.current), self._rows[self.current]
        wanted = (place.x() - bar.left()) / bar.width() * row.cpus
        count = nearest_count(wanted, row.cpus, self._taken(self.current))
        if count is not None and count != row.io_cpus:
            self.moved.emit(self.current, count)

    def _step(self, step: int) -> None:
        """Move the boundary of the chosen row to the next free number of CPUs."""
        row, taken = self._rows[self.current], self._taken(self.current)
        free = [count for count in list_whole_counts(row.cpus) if count not in taken]
        ahead = [count for count in free if (count - row.io_cpus) * step > 0]
        if ahead:
            self.moved.emit(self.current, min(ahead) if step > 0 else max(ahead))

    def _row_text(self, row: WholeSplit) -> str:
        text = _("{split}: {io} CPUs for the I/O domain, {guest} for the guest").format(
            split=row.label, io=row.io_cpus, guest=row.cpus - row.io_cpus
        )
        return f"{text}. {row.reason}" if row.reason else text

    def _update_name(self) -> None:
        chosen = self._row_text(self._rows[self.current]) if self._rows else ""
        labels = ", ".join(row.label for row in self._rows)
        self.setAccessibleName(_("Splits: {all}. {chosen}").format(all=labels, chosen=chosen).strip())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index, row in enumerate(self._rows):
            self._draw_row(painter, index, row, self._theme.palette)

    def _draw_row(self, painter: QPainter, index: int, row: WholeSplit, palette: Palette) -> None:
        bar, chosen = self.bar(index), self.hasFocus() and index == self.current
        if chosen:
            painter.setPen(QPen(QColor(palette.accent), 2))
            painter.setBrush(QColor(palette.accent_soft))
            painter.drawRoundedRect(QRectF(1, bar.top() - 6, self.width() - 2, _ROW_PX - 2), CORNER, CORNER)
        painter.setPen(QColor(palette.dim if row.reason else palette.text))
        label = QRectF(8, bar.top(), _LABEL_PX - 12, bar.height())
        painter.drawText(label, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, row.label)
        self._draw_cells(painter, bar, row, palette)
        cross = self._cross(index).adjusted(5, 5, -5, -5)
        painter.setPen(QPen(QColor(palette.dim), 1.5))
        painter.drawLine(cross.topLeft(), cross.bottomRight())
        painter.drawLine(cross.topRight(), cross.bottomLeft())
        if row.reason:
            place = QRectF(_LABEL_PX, bar.bottom() + 5, self.width() - _LABEL_PX, _REASON_PX)
            painter.setPen(QColor(palette.dim if row.io_cpus else palette.danger_text))
            text = painter.fontMetrics().elidedText(row.reason, Qt.TextElideMode.ElideRight, int(place.width()))
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, text)

    def _draw_cells(self, painter: QPainter, bar: QRectF, row: WholeSplit, palette: Palette) -> None:
        """Draw the CPUs of a split; CPUs beyond the vCPUs of a domain are hatched."""
        cell = bar.width() / row.cpus
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(bar, QColor(palette.sunken))
        if not row.io_cpus:
            return
        edge = bar.left() + row.io_cpus * cell
        unused = QBrush(QColor(palette.edge), Qt.BrushStyle.BDiagPattern)
        for left, count, most, colour in (
            (bar.left(), row.io_cpus, row.io_most, palette.io),
            (edge, row.cpus - row.io_cpus, row.guest_most, palette.guest),
        ):
            used = min(count, most)
            painter.fillRect(QRectF(left, bar.top(), used * cell, bar.height()), QColor(colour))
            painter.fillRect(QRectF(left + used * cell, bar.top(), (count - used) * cell, bar.height()), unused)
        if cell >= _LEAST_CELL_PX:
            painter.setPen(QPen(QColor(palette.raised), 1))
            lines = [bar.left() + number * cell for number in range(1, row.cpus)]
            for x in lines:
                painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()))
        painter.setPen(QPen(QColor(palette.text), 3))
        painter.drawLine(QPointF(edge, bar.top() - 4), QPointF(edge, bar.bottom() + 4))


_KEYS = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Delete,
    Qt.Key.Key_Backspace,
)
