"""The splits as chips on a log-ratio scale: click to add, drag to move, the cross or Delete to remove."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme.theme import Theme
from app.wizard.axis_geometry import AxisGeometry
from app.wizard.axis_painter import AxisPainter
from app.wizard.split_scale import nearest_split, next_split

_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class SplitAxisWidget(QWidget):
    """Shows splits; what the person wants goes out as signals and comes back by `show_splits`.

    Left and Right choose a chip, with Ctrl they move it; Delete removes it; a digit starts a new one.

    Signals:
        added: A split.
        moved: The old and the new split.
        removed: A split.
        digit: A digit that was typed.
        dropped: A chip that was dragged was let go.
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
            self.tr("Left and right choose a split, with Ctrl they move it, Delete removes it, a digit adds one.")
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
        """The split that keys act upon; empty when there is none."""
        return self._chosen if self._chosen in self._labels else (self._labels[0] if self._labels else "")

    def choose(self, label: str) -> None:
        """Let keys act upon this split."""
        self._chosen = label
        self._update_name()
        self.update()

    def show_splits(self, labels: Sequence[str], wrong: Collection[str] = ()) -> None:
        """Show these splits, all of them splits; those that the host cannot be set to are `wrong`."""
        if list(labels) == self._labels and set(wrong) == self._wrong:
            return
        self._labels = list(labels)
        self._wrong = set(wrong)
        self._update_name()
        self.updateGeometry()
        self.update()

    def geometry_now(self) -> AxisGeometry:
        """Return where everything stands at the present width."""
        return AxisGeometry(self._labels, self.width(), self.fontMetrics())

    def sizeHint(self) -> QSize:
        """Return a comfortable width."""
        return QSize(640, self.heightForWidth(640))

    def minimumSizeHint(self) -> QSize:
        """Return the least width at which the ends can be told apart."""
        return QSize(280, self.heightForWidth(max(280, self.width())))

    def hasHeightForWidth(self) -> bool:
        """Chips that would overlap stand above each other."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height that the chips need at a width."""
        return AxisGeometry(self._labels, width, self.fontMetrics()).height

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a chip, remove it by its cross, or add one where there is none."""
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
        """Drag the chosen chip to the nearest nice ratio, or show what is under the pointer."""
        where = self.geometry_now()
        if self._dragging and event.buttons() & Qt.MouseButton.LeftButton:
            others = [text for text in self._labels if text != self._chosen]
            self._move_split(nearest_split(where.at(event.position().x()), others))
            return
        near_cross = self._hover and self._hover in self._labels and where.cross(self._hover).contains(event.position())
        hover = self._hover if near_cross else where.under(event.position()) or ""
        beside = Qt.CursorShape.CrossCursor if where.on_scale(event.position()) else Qt.CursorShape.ArrowCursor
        self.setCursor(Qt.CursorShape.OpenHandCursor if hover else beside)
        if hover != self._hover:
            self._hover = hover
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        del event
        self._dragging = False
        self.dropped.emit()

    def leaveEvent(self, event: QEvent) -> None:
        """Forget what was under the pointer."""
        del event
        self._hover = ""
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose, move, remove, or begin to type a new one."""
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
        """Show which chip keys act upon."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide it again."""
        super().focusOutEvent(event)
        self.update()

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
        chosen = self.tr("{split} chosen").format(split=self.chosen) if self.chosen else ""
        name = self.tr("Splits: {all}. {chosen}").format(all=", ".join(self._labels), chosen=chosen)
        self.setAccessibleName(name.strip())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw scale, stems and chips."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = AxisPainter(painter, self.geometry_now(), self._theme.palette)
        ink.scale(self.tr("more for the guest"), self.tr("more for the I/O domain"))
        for text in ink.where.labels:
            ink.stem(text)
        for text in ink.where.labels:
            keyed = self.hasFocus() and text == self.chosen
            ink.chip(text, keyed=keyed, hovered=text == self._hover, wrong=text in self._wrong)
        if marked := self._marked_split():
            ink.cross(marked)
