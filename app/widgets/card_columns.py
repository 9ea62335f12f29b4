"""Grid of cards whose number of columns follows the width."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from app.theme.tokens import SPACE_M


class CardColumns(QWidget):
    """Cards of equal width in rows; the cards of one row have equal height.

    Args:
        needs_px: Minimum width of a card where several share a row, pixels.
        cards: Cards in their order; `add` appends more.
        parent: Qt's parent.

    Attributes:
        placed: All cards in their order.
        columns: Current number of columns.
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
        """Append a card."""
        self.placed.append(card)
        self._grid.addWidget(card, *divmod(len(self.placed) - 1, max(1, self.columns)))
        self._fit_columns(self.width())

    def minimumSizeHint(self) -> QSize:
        """Return the width of the widest card, the limit of a single column."""
        return QSize(self._widest_px(), self._grid.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the number of columns for the width; balance the rows."""
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
