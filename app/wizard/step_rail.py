"""Rail of the wizard's steps with number, name, state and a one-line answer."""

import enum
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QSizePolicy, QVBoxLayout, QWidget

from app.theme.icons import render_icon
from app.theme.theme import Theme
from app.theme.tokens import CORNER, SIZE_BODY_PT, SPACE_M, SPACE_S, SPACE_XL
from app.widgets.labels import tooltip_text
from scheduler.translation import _

_WIDE_PX = 248
_NARROW_PX = 60
_AROUND_PX = 2 * SPACE_S + 1  # margins and the line at the right
_MARK_PX = 24


class StepMark(enum.Enum):
    """State of a step."""

    AHEAD = enum.auto()
    DONE = enum.auto()
    WRONG = enum.auto()


class WizardStep(QAbstractButton):
    """Button of one step; Enter and Space open the step.

    Args:
        theme: Colours.
        number: Number of the step, from 1.
        count: Number of steps.
        name: Name of the step.
    """

    def __init__(self, theme: Theme, number: int, count: int, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._number = number
        self._count = count
        self._answer = ""
        self._mark = StepMark.AHEAD
        self.setText(name)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def mark(self) -> StepMark:
        """State of the step."""
        return self._mark

    @property
    def answer(self) -> str:
        """One-line answer of the step."""
        return self._answer

    def show_state(self, mark: StepMark, answer: str) -> None:
        """Show a state and an answer.

        Args:
            mark: State of the step.
            answer: One-line answer; may be empty.
        """
        self._mark = mark
        self._answer = answer
        words = {
            StepMark.AHEAD: _("to do"),
            StepMark.DONE: _("done"),
            StepMark.WRONG: _("has a problem"),
        }
        name = _("Step {n} of {count}: {name}, {state}. {answer}").format(
            n=self._number, count=self._count, name=self.text(), state=words[mark], answer=answer
        )
        self.setAccessibleName(name.strip())
        self.setToolTip(tooltip_text(f"{self.text()}: {answer}" if answer else self.text()))
        self.update()

    def sizeHint(self) -> QSize:
        """Return a size for two lines."""
        line = self.fontMetrics().height()
        return QSize(_WIDE_PX - _AROUND_PX, 2 * line + 2 * SPACE_M)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw background, mark, name and answer."""
        del event
        colours = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self.isChecked() or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.raised if self.isChecked() else colours.hover))
            painter.drawRoundedRect(area, CORNER, CORNER)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area, CORNER, CORNER)
        self._draw_mark(painter)
        if self.width() > 2 * _NARROW_PX:
            self._draw_words(painter)

    def _draw_mark(self, painter: QPainter) -> None:
        colours = self._theme.palette
        disc = QRectF(SPACE_M, (self.height() - _MARK_PX) / 2, _MARK_PX, _MARK_PX)
        wrong, current = self._mark is StepMark.WRONG, self.isChecked()
        ring = colours.danger if wrong else colours.accent if current or self._mark is StepMark.DONE else colours.edge
        painter.setPen(QPen(QColor(ring), 1.5))
        painter.setBrush(QColor(ring) if current else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(disc)
        ink = (colours.on_danger if wrong else colours.on_accent) if current else ring
        if self._mark is StepMark.DONE and not current:
            self._draw_check(painter, disc, ink)
            return
        painter.setPen(QColor(ink if current or wrong else colours.dim))
        painter.setFont(self._theme.font(SIZE_BODY_PT, self.font().weight()))
        painter.drawText(disc, Qt.AlignmentFlag.AlignCenter, "!" if wrong else str(self._number))

    def _draw_check(self, painter: QPainter, disc: QRectF, ink: str) -> None:
        size = 16
        picture = render_icon("check", ink, size, self.devicePixelRatioF())
        painter.drawPixmap(round(disc.center().x() - size / 2), round(disc.center().y() - size / 2), picture)

    def _draw_words(self, painter: QPainter) -> None:
        colours = self._theme.palette
        left = SPACE_M + _MARK_PX + SPACE_M
        line = self.fontMetrics().height()
        room = self.width() - left - SPACE_S
        top = (self.height() - (2 * line if self._answer else line)) / 2
        font = self.font()
        font.setWeight(font.Weight.DemiBold if self.isChecked() else font.Weight.Normal)
        painter.setFont(font)
        painter.setPen(QColor(colours.text if self.isChecked() or self._mark is not StepMark.AHEAD else colours.dim))
        painter.drawText(QRectF(left, top, room, line), Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.setFont(self.font())
        painter.setPen(QColor(colours.danger_text if self._mark is StepMark.WRONG else colours.dim))
        answer = self.fontMetrics().elidedText(self._answer, Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(QRectF(left, top + line, room, line), Qt.AlignmentFlag.AlignVCenter, answer)


class StepRail(QFrame):
    """Rail with the buttons of all steps.

    Signals:
        chosen: Index of the step that the user wants.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "rail")
        self.setAccessibleName(_("Steps"))
        box = QVBoxLayout(self)
        box.setContentsMargins(SPACE_S, SPACE_XL, SPACE_S, SPACE_S)
        box.setSpacing(2)
        self.steps = [WizardStep(theme, i + 1, len(names), name) for i, name in enumerate(names)]
        for i, step in enumerate(self.steps):
            step.clicked.connect(lambda _, i=i: self.chosen.emit(i))
            box.addWidget(step)
        box.addStretch(1)
        self.set_narrow(narrow=False)

    def set_current(self, index: int) -> None:
        """Mark the current step."""
        for i, step in enumerate(self.steps):
            step.setChecked(i == index)

    def set_narrow(self, *, narrow: bool) -> None:
        """Show only the marks, or also names and answers; tooltips always have both."""
        self.setMinimumWidth(_NARROW_PX)  # a larger minimum would keep the window from getting narrow
        self.setMaximumWidth(_NARROW_PX if narrow else _WIDE_PX)
