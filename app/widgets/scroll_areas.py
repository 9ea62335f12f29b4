"""Scroll areas: what needs more room than there is gets scroll bars; nothing is cut off."""

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QSize, Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from app.theme.tokens import SPACE_L


class _ShortScrollArea(QScrollArea):
    """Asks for no more height than it must have: it scrolls."""

    def sizeHint(self) -> QSize:
        """Return the least height."""
        return QSize(super().sizeHint().width(), self.minimumHeight())


def make_scroll_area(inside: QWidget, least_px: int = 0) -> QScrollArea:
    """Return a frameless area that shows a widget as large as there is room for, and scrolls where it needs more.

    Args:
        inside: The widget.
        least_px: Height that the area asks for, and always has; 0 for what Qt thinks of.
    """
    area = _ShortScrollArea() if least_px else QScrollArea()
    area.setMinimumHeight(least_px)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    return area


def scroll_into_view(part: QWidget) -> None:
    """Scroll to a part that was unfolded: it may be below the edge."""
    area = _area_around(part)
    if area is not None and part.isVisible():
        area.ensureWidgetVisible(part, 0, SPACE_L)


def scroll_to_top(part: QWidget) -> None:
    """Scroll so far that a part begins at the upper edge of what is visible, or as far as it goes."""
    area = _area_around(part)
    if area is not None and part.isVisible():
        bar = area.verticalScrollBar()
        bar.setValue(bar.value() + part.mapTo(area.viewport(), QPoint(0, 0)).y() - SPACE_L)


def _area_around(part: QWidget) -> QScrollArea | None:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)  # the part finds its place now
    around = part.parentWidget()
    while around is not None and not isinstance(around, QScrollArea):
        around = around.parentWidget()
    return around
