"""Cards in as many columns as the width allows, in rows below each other."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from app.theme.tokens import SPACE_M


class CardColumns(QWidget):
    """Cards of one width each; those of one row are as high as each other.

    Args:
        needs_px: Width that each of several beside each other needs at least.
        cards: The cards, in order; more of them by `add`.
        parent: Qt's parent.

    Attributes:
        placed: All of the cards.
        columns: How many stand beside each other.
    """

    def __init__(self, needs_px: int, cards: Sequence[QWidget] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._needs_px = needs_px
        self.placed = [*cards]
        self.columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(SPACE_M)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._place_cards(len(self.placed))

    def add(self, card: QWidget) -> None:
        """Add a card behind the others."""
        self.placed.append(card)
        self._grid.addWidget(card, *divmod(len(self.placed) - 1, max(1, self.columns)))
        self._fit_columns(self.width())

    def minimumSizeHint(self) -> QSize:
        """Ask for the width of the widest alone: below that they cannot stand below each other either."""
        return QSize(self._widest_px(), self._grid.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the columns that the width allows, rows about as long as each other."""
        self._fit_columns(event.size().width())
        super().resizeEvent(event)

    def _fit_columns(self, width: int) -> None:
        needs_px = max(self._needs_px, self._widest_px()) + SPACE_M
        most = max(1, (width + SPACE_M) // needs_px)
        rows = -(-len(self.placed) // most)
        self._place_cards(-(-len(self.placed) // rows) if rows else 1)

    def _widest_px(self) -> int:
        return max((card.minimumSizeHint().width() for card in self.placed), default=0)

    def _place_cards(self, columns: int) -> None:
        if columns == self.columns:
            return
        for card in self.placed:
            self._grid.removeWidget(card)
        for column in range(max(columns, self.columns)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        self.columns = columns
        for number, card in enumerate(self.placed):
            self._grid.addWidget(card, *divmod(number, columns))
        self.updateGeometry()
