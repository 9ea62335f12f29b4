"""Things beside each other where there is room, else one below the other."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from app.theme.tokens import SPACE_M


class SideBySide(QWidget):
    """Things beside each other where there is room, else one below the other.

    Args:
        needs_px: Width from which on they stand beside each other.
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
        """Put one more thing behind the others; as high as they are, or with its top where theirs is."""
        self._box.addWidget(part, stretch, Qt.AlignmentFlag.AlignTop if top else Qt.AlignmentFlag(0))

    def minimumSizeHint(self) -> QSize:
        """Ask for the width of the widest alone: below that they cannot stand below each other either."""
        parts = (self._box.itemAt(i) for i in range(self._box.count()))
        widest = max((part.minimumSize().width() for part in parts if part), default=0)
        return QSize(widest, self._box.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the direction that the width allows."""
        wide = event.size().width() >= self._needs_px
        wanted = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._box.direction() != wanted:
            self._box.setDirection(wanted)
            self.updateGeometry()
        super().resizeEvent(event)
