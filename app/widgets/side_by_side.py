"""Layout that changes from a row to a column where the width is too small."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from app.theme.tokens import SPACE_M


class SideBySide(QWidget):
    """Widgets in a row where the width allows it, otherwise in a column.

    Args:
        needs_px: Minimum width of the row, pixels.
        parent: Qt's parent.
    """

    def __init__(self, needs_px: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._needs_px = needs_px
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(SPACE_M)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def add(self, part: QWidget, stretch: int = 1, *, top: bool = False) -> None:
        """Append a widget.

        Args:
            part: The widget.
            stretch: Relative width in the row, >= 0.
            top: Align the widget to the top instead of the full height.
        """
        self._box.addWidget(part, stretch, Qt.AlignmentFlag.AlignTop if top else Qt.AlignmentFlag(0))

    def minimumSizeHint(self) -> QSize:
        """Return the width of the widest widget, the limit of the column."""
        parts = (self._box.itemAt(i) for i in range(self._box.count()))
        widest = max((part.minimumSize().width() for part in parts if part), default=0)
        return QSize(widest, self._box.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose row or column for the width."""
        wide = event.size().width() >= self._needs_px
        wanted = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._box.direction() != wanted:
            self._box.setDirection(wanted)
            self.updateGeometry()
        super().resizeEvent(event)
