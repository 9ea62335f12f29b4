"""Dot that shows the state of a host or service."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme.theme import Theme
from app.widgets.labels import tooltip_text
from scheduler.translation import _

_DOT_PX = 10


class StatusDot(QWidget):
    """Status dot: filled green is usable, filled red is not, a grey ring is unknown.

    Shape and tooltip differ, too, so that colour alone carries no meaning.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.state = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        self.show_state("unknown", _("not checked yet"))

    def show_state(self, state: str, words: str) -> None:
        """Show a state.

        Args:
            state: `good`, `bad`, `busy` or `unknown`.
            words: Tooltip and accessible name.
        """
        self.state = state
        self.setToolTip(tooltip_text(words))
        self.setAccessibleName(words)
        self.update()

    def sizeHint(self) -> QSize:
        """Return a small square."""
        return QSize(_DOT_PX + 2, _DOT_PX + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the dot."""
        del event
        colours = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(1, 1, _DOT_PX, _DOT_PX)
        colour = {"good": colours.good, "bad": colours.danger, "busy": colours.warn}.get(self.state)
        if colour is None:
            painter.setPen(QColor(colours.edge))
            painter.drawEllipse(area.adjusted(1, 1, -1, -1))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        if self.state == "bad":
            painter.drawRoundedRect(area, 2, 2)
        else:
            painter.drawEllipse(area)
