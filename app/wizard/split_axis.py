"""Axis of splits on a log-ratio scale.

A click adds a split, a drag moves one split, Delete removes the chosen split.
"""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme.theme import Theme
from app.theme.tokens import CORNER, Palette
from app.widgets.split_bar import paint_split
from app.wizard.split_scale import (
    TICK_SPLITS,
    axis_setting,
    chip_rows,
    nearest_split,
    next_split,
    scale_end,
    sort_by_position,
    split_position,
)
from scheduler.translation import _

_PAD_PX = 12
_CHIP_EXTRA_PX = 8  # space above and below a chip's text
_LANE_GAP_PX = 6
_STEM_PX = 14
_CROSS_PX = 16


class AxisGeometry:
    """Positions of chips and scale, in device-independent pixels.

    Args:
        labels: Labels of the splits, in any order.
        width: Width of the axis, pixels.
        metrics: Metrics of the font.
    """

    def __init__(self, labels: Sequence[str], width: int, metrics: QFontMetrics) -> None:
        self.labels = sort_by_position(labels)
        self.width = width
        self._line = metrics.height()
        self._end = scale_end(labels)
        self._chip_width = max(metrics.horizontalAdvance(text) for text in ("10:10", *labels)) + 22
        places = [self.x_of(split_position(text)) for text in self.labels]
        self._lanes = chip_rows(places, self._chip_width + 4)
        self.lane_count = max([0, *self._lanes]) + 1

    @property
    def chip_height(self) -> float:
        """Height of a chip, pixels."""
        return self._line + _CHIP_EXTRA_PX + 8

    @property
    def axis_y(self) -> float:
        """Height of the scale's line, pixels from the top."""
        return _PAD_PX / 2 + self.lane_count * (self.chip_height + _LANE_GAP_PX) + _STEM_PX

    @property
    def height(self) -> int:
        """Height of chips, line, ticks and labels, pixels."""
        return round(self.axis_y + 14 + 2 * self._line + _PAD_PX)

    def x_of(self, at: float) -> float:
        """Return the pixel of a position, which is ln(I/O domain / guest)."""
        margin = self._chip_width / 2 + _PAD_PX
        return margin + (at + self._end) / (2 * self._end) * max(1.0, self.width - 2 * margin)

    def at(self, x: float) -> float:
        """Return the position of a pixel, ln(I/O domain / guest)."""
        margin = self._chip_width / 2 + _PAD_PX
        return (x - margin) / max(1.0, self.width - 2 * margin) * 2 * self._end - self._end

    def chip(self, label: str) -> QRectF:
        """Return the area of a chip.

        Raises:
            ValueError: The split is not on the axis.
        """
        lane = self._lanes[self.labels.index(label)]
        bottom = self.axis_y - _STEM_PX - lane * (self.chip_height + _LANE_GAP_PX)
        x = self.x_of(split_position(label))
        return QRectF(x - self._chip_width / 2, bottom - self.chip_height, self._chip_width, self.chip_height)

    def cross(self, label: str) -> QRectF:
        """Return the area of the cross that removes a chip."""
        corner = self.chip(label).topRight()
        return QRectF(corner.x() - _CROSS_PX / 2 - 3, corner.y() - _CROSS_PX / 2 + 3, _CROSS_PX, _CROSS_PX)

    def on_scale(self, place: QPointF) -> bool:
        """Return True for a place on the scale, where a click adds a split.

        The scale is below the chips.
        """
        return place.y() >= self.axis_y - _STEM_PX

    def under(self, place: QPointF) -> str | None:
        """Return the split whose chip is at a place; None for no chip."""
        return next((text for text in reversed(self.labels) if self.chip(text).contains(place)), None)


_EDGE_PX = 8  # distance of the line from both sides
_TICK_PX = 5


class AxisPainter:
    """Painter of one drawing of the axis.

    Args:
        painter: Qt's painter.
        where: Positions to draw at.
        colours: Palette.
    """

    def __init__(self, painter: QPainter, where: AxisGeometry, colours: Palette) -> None:
        self._painter = painter
        self.where = where
        self._colours = colours

    def scale(self, left: str, right: str) -> None:
        """Draw the line, the ticks and the texts at both ends.

        Args:
            left: Text at the left end.
            right: Text at the right end.
        """
        painter, y = self._painter, self.where.axis_y
        line = painter.fontMetrics().height()
        self._set_pen(self._colours.edge, 1)
        painter.drawLine(QPointF(_EDGE_PX, y), QPointF(self.where.width - _EDGE_PX, y))
        for text in TICK_SPLITS:
            x = self.where.x_of(split_position(text))
            self._set_pen(self._colours.edge, 1)
            painter.drawLine(QPointF(x, y), QPointF(x, y + _TICK_PX))
            self._set_pen(self._colours.dim, 1)
            painter.drawText(QRectF(x - 40, y + 8, 80, line), Qt.AlignmentFlag.AlignCenter, text)
        words = QRectF(_EDGE_PX, y + 12 + line, self.where.width - 2 * _EDGE_PX, line)
        self._set_pen(self._colours.guest_text, 1)
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft, f"\N{LEFTWARDS ARROW} {left}")
        self._set_pen(self._colours.io_text, 1)
        painter.drawText(words, Qt.AlignmentFlag.AlignRight, f"{right} \N{RIGHTWARDS ARROW}")

    def stem(self, text: str) -> None:
        """Draw the line from a chip down to its position."""
        x = self.where.x_of(split_position(text))
        self._set_pen(self._colours.line, 1.5)
        self._painter.drawLine(QPointF(x, self.where.chip(text).bottom()), QPointF(x, self.where.axis_y))
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(self._colours.text))
        self._painter.drawEllipse(QPointF(x, self.where.axis_y), 3, 3)

    def chip(self, text: str, *, keyed: bool, hovered: bool, wrong: bool) -> None:
        """Draw one chip.

        Args:
            text: Label of the split.
            keyed: True for the chip that keys act upon.
            hovered: True for the chip under the pointer.
            wrong: True for a split that the host cannot be set to.
        """
        colours, area = self._colours, self.where.chip(text)
        ring = colours.danger if wrong else colours.accent if keyed or hovered else colours.edge
        self._set_pen(ring, 2 if keyed or wrong else 1)
        self._painter.setBrush(QColor(colours.accent_soft if keyed else colours.raised))
        self._painter.drawRoundedRect(area, CORNER, CORNER)
        bar = QRectF(area.left() + 8, area.bottom() - 9, area.width() - 16, 5)
        paint_split(self._painter, bar, axis_setting(text).split, colours)
        self._set_pen(colours.danger_text if wrong else colours.text, 1)
        self._painter.drawText(area.adjusted(0, 1, 0, -9), Qt.AlignmentFlag.AlignCenter, text)

    def cross(self, text: str) -> None:
        """Draw the cross that removes a chip."""
        area = self.where.cross(text)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(self._colours.text))
        self._painter.drawEllipse(area)
        self._set_pen(self._colours.raised, 1.5)
        inner = area.adjusted(5, 5, -5, -5)
        self._painter.drawLine(inner.topLeft(), inner.bottomRight())
        self._painter.drawLine(inner.topRight(), inner.bottomLeft())

    def _set_pen(self, colour: str, width: float) -> None:
        self._painter.setPen(QPen(QColor(colour), width))


_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class SplitAxisWidget(QWidget):
    """Axis of splits; the user's changes are emitted, and shown by `show_splits`.

    Left and Right choose a chip, with Ctrl they move the chip. Delete removes a chip, a digit starts a new split.

    Signals:
        added: A split.
        moved: The old and the new split.
        removed: A split.
        digit: The typed digit.
        dropped: A dragged chip was released.
    """

    added = Signal(str)
    moved = Signal(str, str)
    removed = Signal(str)
    digit = Signal(str)
    dropped = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._labels: list[str] = []
        self._wrong: set[str] = set()
        self._chosen = ""
        self._hover = ""
        self._dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleDescription(
            _(
                "Left and Right choose a split, Ctrl+Left and Ctrl+Right move the split. Delete removes "
                "the split, a digit adds a split."
            )
        )
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self.update)

    @property
    def is_dragging(self) -> bool:
        """True while a chip is dragged."""
        return self._dragging

    @property
    def chosen(self) -> str:
        """Split that keys act upon; empty when there is none."""
        return self._chosen if self._chosen in self._labels else (self._labels[0] if self._labels else "")

    def choose(self, label: str) -> None:
        """Choose the split that keys act upon."""
        self._chosen = label
        self._update_name()
        self.update()

    def show_splits(self, labels: Sequence[str], wrong: Collection[str] = ()) -> None:
        """Show these splits.

        Args:
            labels: Labels of the splits.
            wrong: Labels of splits that the host cannot be set to.
        """
        if list(labels) == self._labels and set(wrong) == self._wrong:
            return
        self._labels = list(labels)
        self._wrong = set(wrong)
        self._update_name()
        self.updateGeometry()
        self.update()

    def geometry_now(self) -> AxisGeometry:
        """Return the positions at the current width."""
        return AxisGeometry(self._labels, self.width(), self.fontMetrics())

    def sizeHint(self) -> QSize:
        """Return a comfortable width."""
        return QSize(640, self.heightForWidth(640))

    def minimumSizeHint(self) -> QSize:
        """Return the least width at which both ends are distinct."""
        return QSize(280, self.heightForWidth(max(280, self.width())))

    def hasHeightForWidth(self) -> bool:
        """Return True: chips that would overlap are stacked."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height that the chips need at a width."""
        return AxisGeometry(self._labels, width, self.fontMetrics()).height

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a chip, remove a chip by its cross, or add a split on the scale."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        where = self.geometry_now()
        marked = self._marked_split()
        if marked and where.cross(marked).contains(event.position()):
            self.removed.emit(marked)
            return
        under = where.under(event.position())
        if under:
            self._dragging = True
            self.choose(under)
        elif where.on_scale(event.position()):
            self._add_split(nearest_split(where.at(event.position().x()), self._labels))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the chosen chip to a simple ratio, or mark the chip under the pointer."""
        where = self.geometry_now()
        if self._dragging and event.buttons() & Qt.MouseButton.LeftButton:
            others = [text for text in self._labels if text != self._chosen]
            self._move_split(nearest_split(where.at(event.position().x()), others))
            return
        near_cross = self._hover and self._hover in self._labels and where.cross(self._hover).contains(event.position())
        hover = self._hover if near_cross else where.under(event.position()) or ""
        cursor = Qt.CursorShape.CrossCursor if where.on_scale(event.position()) else Qt.CursorShape.ArrowCursor
        self.setCursor(Qt.CursorShape.OpenHandCursor if hover else cursor)
        if hover != self._hover:
            self._hover = hover
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag."""
        del event
        self._dragging = False
        self.dropped.emit()

    def leaveEvent(self, event: QEvent) -> None:
        """Unmark the chip that was under the pointer."""
        del event
        self._hover = ""
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose, move or remove a chip, or begin a new split."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._move_split(next_split(self.chosen, step, self._labels) if self.chosen else None)
        elif step and self._labels:
            ordered = self.geometry_now().labels
            place = ordered.index(self.chosen) + step
            self.choose(ordered[max(0, min(place, len(ordered) - 1))])
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.chosen:
            self.removed.emit(self.chosen)
        elif event.text().isdigit():
            self.digit.emit(event.text())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Mark the chip that keys act upon."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Unmark the chip that keys act upon."""
        super().focusOutEvent(event)
        self.update()

    def _is_keyed(self, label: str) -> bool:
        """Return True for the split that keys act upon now."""
        return self.hasFocus() and label == self.chosen

    def _marked_split(self) -> str:
        marked = self._hover or (self.chosen if self.hasFocus() else "")
        return marked if marked in self._labels else ""

    def _add_split(self, new: str | None) -> None:
        if new:
            self._chosen = new
            self.added.emit(new)

    def _move_split(self, new: str | None) -> None:
        old = self.chosen
        if new and new != old:
            self._chosen = new
            self.moved.emit(old, new)

    def _update_name(self) -> None:
        chosen = _("{split} chosen").format(split=self.chosen) if self.chosen else ""
        name = _("Splits: {all}. {chosen}").format(all=", ".join(self._labels), chosen=chosen)
        self.setAccessibleName(name.strip())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw scale, stems and chips."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = AxisPainter(painter, self.geometry_now(), self._theme.palette)
        ink.scale(_("more for the guest"), _("more for the I/O domain"))
        for text in ink.where.labels:
            ink.stem(text)
        for text in ink.where.labels:
            ink.chip(text, keyed=self._is_keyed(text), hovered=text == self._hover, wrong=text in self._wrong)
        if marked := self._marked_split():
            ink.cross(marked)
