"""Scroll areas for content that may be larger than the window."""

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QSize, Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from app.theme.tokens import SPACE_L


class _ShortScrollArea(QScrollArea):
    """Scroll area that asks for no more than its minimum height."""

    def sizeHint(self) -> QSize:
        """Return the minimum height."""
        return QSize(super().sizeHint().width(), self.minimumHeight())


def make_scroll_area(inside: QWidget, least_px: int = 0, parent: QWidget | None = None) -> QScrollArea:
    """Return a frameless scroll area around a widget.

    Args:
        inside: The widget.
        least_px: Minimum and preferred height, pixels; 0 for Qt's default.
        parent: Future parent of the area. Qt styles all widgets inside again each time the area gets another parent.
    """
    area = _ShortScrollArea(parent) if least_px else QScrollArea(parent)
    area.setMinimumHeight(least_px)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    return area


def scroll_into_view(part: QWidget) -> None:
    """Scroll to a widget that was just opened and may lie below the visible area."""
    area = _area_around(part)
    if area is not None and part.isVisible():
        area.ensureWidgetVisible(part, 0, SPACE_L)


def scroll_to_top(part: QWidget) -> None:
    """Scroll until a widget starts at the upper edge of the visible area, if possible."""
    area = _area_around(part)
    if area is not None and part.isVisible():
        bar = area.verticalScrollBar()
        bar.setValue(bar.value() + part.mapTo(area.viewport(), QPoint(0, 0)).y() - SPACE_L)


def _area_around(part: QWidget) -> QScrollArea | None:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)  # update positions
    around = part.parentWidget()
    while around is not None and not isinstance(around, QScrollArea):
        around = around.parentWidget()
    return around
