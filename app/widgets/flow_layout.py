"""Layout that wraps widgets into lines like words of a text."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from app.theme.tokens import SPACE_XS


class FlowLayout(QLayout):
    """Layout that places widgets in lines and starts a line where the width ends.

    Args:
        parent: Widget that gets this layout.
        gap_px: Space between two widgets of a line, pixels.
    """

    def __init__(self, parent: QWidget, gap_px: int = SPACE_XS) -> None:
        super().__init__(parent)
        self._gap_px = gap_px
        self.setContentsMargins(0, 0, 0, 0)
        self._items: list[QLayoutItem] = []

    def addItem(self, arg__1: QLayoutItem) -> None:
        """Append an item; called by `addWidget`."""
        self._items.append(arg__1)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return the item at an index; None outside the range."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return the item at an index; None outside the range."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return no direction: the layout needs no extra space."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True: the height follows from the width."""
        return True

    def heightForWidth(self, arg__1: int) -> int:
        """Return the height of all lines at a width, pixels."""
        return self._place_items(QRect(0, 0, arg__1, 0), move=False)

    def setGeometry(self, arg__1: QRect) -> None:
        """Place all items inside a rectangle."""
        super().setGeometry(arg__1)
        self._place_items(arg__1, move=True)

    def sizeHint(self) -> QSize:
        """Return the size of all items in one line."""
        widths = [item.sizeHint().width() + self._gap_px for item in self._items]
        return QSize(sum(widths), self.minimumSize().height())

    def minimumSize(self) -> QSize:
        """Return the size of the largest item."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.sizeHint())
        return size

    def _place_items(self, area: QRect, *, move: bool) -> int:
        x, y, line = area.x(), area.y(), 0
        for item in self._items:
            if item.isEmpty():  # hidden
                continue
            size = item.sizeHint()
            if x > area.x() and x + size.width() > area.right() + 1:
                x, y, line = area.x(), y + line + SPACE_XS, 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x, line = x + size.width() + self._gap_px, max(line, size.height())
        return y + line - area.y()
