"""Looks at widgets as a person would: is a word cut off, can the keyboard reach everything?"""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QSlider, QWidget

from app.widgets.elided_label import ElidedLabel
from app.widgets.lines_label import LinesLabel


def clipped(page: QWidget) -> list[str]:
    """Return every visible label and button that is smaller than its words, with both sizes."""
    found: list[str] = []
    for widget in page.findChildren(QWidget):
        if (
            not widget.isVisible()
            or not isinstance(widget, QLabel | QAbstractButton)
            or isinstance(widget, ElidedLabel | LinesLabel)
        ):
            continue
        if not widget.text():
            continue
        wants, has = widget.sizeHint(), widget.size()
        height = wants.height()
        width = wants.width()
        if widget.hasHeightForWidth():
            height, width = widget.heightForWidth(has.width()), max(0, widget.minimumSizeHint().width())
        if has.width() < width or has.height() < height:
            found.append(f"{widget.text()!r} wants {width}x{height}, has {has.width()}x{has.height()}")
    return found


def outside(page: QWidget) -> list[str]:
    """Return every visible label and button that reaches over the page's edge; a scroll area's inside may."""
    return [
        widget.text()
        for widget in page.findChildren(QWidget)
        if isinstance(widget, QLabel | QAbstractButton)
        and widget.isVisible()
        and widget.mapTo(page, widget.rect().topRight()).x() > page.width()
    ]


def not_reached_by_tab(page: QWidget) -> list[str]:
    """Press Tab until the focus is back where it began; return the enabled buttons and sliders that never had it."""
    wanted = {
        widget
        for widget in page.findChildren(QWidget)
        if isinstance(widget, QAbstractButton | QSlider)
        and widget.isVisible()
        and widget.isEnabled()
        and widget.focusPolicy() != Qt.FocusPolicy.NoFocus
    }
    mouse_only = [
        widget.accessibleName() or widget.text()
        for widget in page.findChildren(QAbstractButton)
        if widget.isVisible()
        and widget.focusPolicy() == Qt.FocusPolicy.NoFocus
        and not widget.objectName().startswith("qt_")
        and type(widget).__module__.startswith("app.")
    ]
    page.activateWindow()
    assert QTest.qWaitForWindowActive(page.window(), 5000)
    page.setFocus()
    for _ in range(300):
        focus = QApplication.focusWidget() or page
        wanted.discard(focus)
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QApplication.sendEvent(focus, QKeyEvent(kind, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier))
    return mouse_only + [getattr(widget, "text", widget.accessibleName)() for widget in wanted]
