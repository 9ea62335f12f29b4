"""Turn the mouse wheel over a widget."""

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget


def turn_wheel(widget: QWidget, place: QPoint | None = None) -> None:
    """Turn the wheel down by one notch through the window system, over a widget that is in sight.

    Args:
        widget: The widget under the pointer.
        place: Place of the pointer in the widget, in pixels; None for its middle.
    """
    window = widget.window()
    at = widget.mapTo(window, place or widget.rect().center())
    assert window.rect().contains(at)
    QTest.wheelEvent(window.windowHandle(), QPointF(at), QPoint(0, -120))
