"""Cards in as many columns as the width allows, in rows below each other."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from app.theme.tokens import SPACE_M


class Columns(QWidget):
    """Cards of one width each; those of one row are as high as each other.

    Args:
        needs_px: Width that each of several beside each other needs at least.
        cards: The cards, in order.
        parent: Qt's parent.
    """

    def __init__(self, needs_px: int, cards: Sequence[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._needs_px = needs_px
        self._cards = tuple(cards)
        self.columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(SPACE_M)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._place(len(self._cards))

    def minimumSizeHint(self) -> QSize:
        """Ask for the width of the widest alone: below that they cannot stand below each other either."""
        return QSize(self._widest_px(), self._grid.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the columns that the width allows, rows about as long as each other."""
        needs_px = max(self._needs_px, self._widest_px()) + SPACE_M
        most = max(1, (event.size().width() + SPACE_M) // needs_px)
        rows = -(-len(self._cards) // most)
        self._place(-(-len(self._cards) // rows) if rows else 1)
        super().resizeEvent(event)

    def _widest_px(self) -> int:
        return max((card.minimumSizeHint().width() for card in self._cards), default=0)

    def _place(self, columns: int) -> None:
        if columns == self.columns:
            return
        for card in self._cards:
            self._grid.removeWidget(card)
        for column in range(max(columns, self.columns)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        self.columns = columns
        for number, card in enumerate(self._cards):
            self._grid.addWidget(card, *divmod(number, columns))
        self.updateGeometry()
