"""Label that shortens its text with an ellipsis.

The tooltip and the accessible name hold the whole text.
"""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.widgets.labels import tooltip_text


class ElidedLabel(QLabel):
    """Label of one line that shortens its text with an ellipsis.

    Args:
        text: Text to show.
        role: Role in the style sheet; empty for none.
        mode: Position of the ellipsis.
        parent: Qt's parent.
    """

    def __init__(
        self,
        text: str = "",
        role: str = "",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role:
            self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Set the text, the tooltip and the accessible name."""
        super().setText(text)
        self.setToolTip(tooltip_text(text))
        self.setAccessibleName(text)

    def minimumSizeHint(self) -> QSize:
        """Return the width of a few letters."""
        return QSize(self.fontMetrics().averageCharWidth() * 4, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the shortened text."""
        del event
        painter = QPainter(self)
        area = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), self._mode, area.width())
        self.style().drawItemText(
            painter, area, int(self.alignment()), self.palette(), self.isEnabled(), shown, self.foregroundRole()
        )
