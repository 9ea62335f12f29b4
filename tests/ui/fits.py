"""Does it fit? What lies out of reach of pointer and scroll bars, and which words are cut and told nowhere else.

A control fits when all of it lies in its window, or can be brought there by the scroll bars around it.
"""

import html
import re
from collections.abc import Iterator

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QScrollBar,
    QTableView,
    QWidget,
)

from app.widgets.elided_label import ElidedLabel
from app.widgets.lines_label import LinesLabel
from app.widgets.themed_plot import ThemedPlot
from app.wizard.step_rail import WizardStep

_CONTROLS = (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QAbstractItemView,
    ThemedPlot,
)
_LEAST_PX = 60  # of a list, a text or a plot: less cannot be read
_PADDING_PX = 16  # of a heading, in the style sheet
_PART_PX = 2  # what style and layout round


def misfits(top: QWidget, *, roomy: bool) -> list[str]:
    """Return what does not fit in a window, each with its name and the numbers.

    Args:
        top: The window or dialog.
        roomy: True where it should fit without scrolling sideways, and with the buttons of strip and footer in sight.
    """
    sideways = _sideways(top) if roomy else ()
    return [*_too_large(top), *_unreachable(top), *_cut(top), *sideways, *_hidden_feet(top), *_unnamed(top)]


def _unnamed(top: QWidget) -> Iterator[str]:
    """Yield each stop of the keyboard that a screen reader cannot name, or names with the mark of its key."""
    for part in top.findChildren(QWidget):
        inner = isinstance(part.parentWidget(), QAbstractSpinBox | QComboBox)
        if part.isVisible() and part.focusPolicy() & Qt.FocusPolicy.TabFocus and not inner:
            name = QAccessible.queryAccessibleInterface(part).text(QAccessible.Text.Name)
            if not name or re.search(r"&\w", name):
                yield f"{type(part).__name__} in {_name(part.parentWidget())} is called {name!r}"


def controls(top: QWidget) -> Iterator[QWidget]:
    """Yield what one reads or uses, and can see or scroll to."""
    for part in top.findChildren(QWidget):
        if part.isVisible() and isinstance(part, _CONTROLS) and not _of_qt(part):
            yield part


def _of_qt(part: QWidget) -> bool:
    """Return True for what is part of another control: a scroll bar, a table's header or corner."""
    inside = isinstance(part.parentWidget(), QAbstractSpinBox | QComboBox | QTableView | QLineEdit)
    return inside or isinstance(part, QScrollBar | QHeaderView) or part.objectName().startswith("qt_")


def _name(part: QWidget) -> str:
    text = part.text() if isinstance(part, QLabel | QAbstractButton) else ""
    return f"{type(part).__name__} {(text or part.accessibleName() or part.objectName())[:70]!r}"


def _too_large(top: QWidget) -> Iterator[str]:
    screen, frame = top.screen().availableGeometry(), top.frameGeometry()
    if not screen.contains(frame):
        yield f"{_name(top)} is {frame.getRect()}, the screen {screen.getRect()}"


def _unreachable(top: QWidget) -> Iterator[str]:
    for part in controls(top):
        if why := _out_of_reach(part, top):
            yield f"{_name(part)} is out of reach: {why}"
        least_px = min(part.width(), part.height())
        if isinstance(part, QAbstractScrollArea) and not isinstance(part, QScrollArea) and least_px < _LEAST_PX:
            yield f"{_name(part)} is {part.width()}x{part.height()}"
        if isinstance(part, QLineEdit | QComboBox | QAbstractSlider | QAbstractSpinBox):
            wants = part.minimumSizeHint()
            if part.width() < min(wants.width(), _LEAST_PX) or part.height() < wants.height() - _PART_PX:
                yield f"{_name(part)} wants {wants.toTuple()}, has {part.size().toTuple()}"


def _out_of_reach(part: QWidget, top: QWidget) -> str:
    """Return what cuts a part off, with the numbers; empty when one can see or scroll to all of it."""
    box, child = part.rect(), part
    while child is not top:
        parent = child.parentWidget()
        box = box.translated(child.pos())
        area = parent.parentWidget()
        if isinstance(area, QScrollArea) and area.viewport() is parent:
            if why := _not_scrolled_to(box, child, area):
                return why
            box = parent.rect()
        elif not parent.rect().adjusted(-1, -1, 1, 1).contains(box) and not box.isEmpty():
            return f"{box.getRect()} in {_name(parent)} of {parent.size().toTuple()}"
        child = parent
    return ""


def _not_scrolled_to(box: QRect, inside: QWidget, area: QScrollArea) -> str:
    for bar, policy, low, high, room_px, all_px in (
        (
            area.horizontalScrollBar(),
            area.horizontalScrollBarPolicy(),
            box.left(),
            box.right(),
            area.viewport().width(),
            inside.width(),
        ),
        (
            area.verticalScrollBar(),
            area.verticalScrollBarPolicy(),
            box.top(),
            box.bottom(),
            area.viewport().height(),
            inside.height(),
        ),
    ):
        if low >= 0 and high < room_px:
            continue
        if policy == Qt.ScrollBarPolicy.ScrollBarAlwaysOff or all_px > room_px + bar.maximum():
            return f"{low} to {high} of {room_px} px, {bar.orientation().name} scrolled by {bar.maximum()} at most"
    return ""


def _cut(top: QWidget) -> Iterator[str]:
    for part in controls(top):
        if isinstance(part, QTableView):
            yield from _cut_headings(part)
        elif isinstance(part, QLabel | QAbstractButton | QComboBox) and not _told_whole(part):
            yield from _too_small(part)


def _told_whole(part: QLabel | QAbstractButton | QComboBox) -> bool:
    """Return True for what may be shorter than its words, and has them in its tooltip."""
    if isinstance(part, ElidedLabel | LinesLabel | WizardStep):
        return _told(part, part.text())
    return isinstance(part, QComboBox) and _told(part, part.currentText())


def _too_small(part: QLabel | QAbstractButton | QComboBox) -> Iterator[str]:
    if not (part.currentText() if isinstance(part, QComboBox) else part.text()):
        return
    wants, has = part.sizeHint(), part.size()
    width, height = wants.width(), wants.height()
    if part.hasHeightForWidth():
        width = part.minimumSizeHint().width()  # the height as Qt says, not as the label remembers
        height = (QLabel.heightForWidth if isinstance(part, QLabel) else type(part).heightForWidth)(part, has.width())
    if has.width() < width or has.height() < height:
        yield f"{_name(part)} wants {width}x{height}, has {has.width()}x{has.height()}"


def _told(part: QWidget, text: str) -> bool:
    return text in part.toolTip() or html.escape(text) in part.toolTip()


def _cut_headings(table: QTableView) -> Iterator[str]:
    header = table.horizontalHeader()
    for section in range(header.count() if header.isVisible() else 0):
        text = str(table.model().headerData(section, Qt.Orientation.Horizontal))
        wants_px, has_px = header.fontMetrics().horizontalAdvance(text) + _PADDING_PX, header.sectionSize(section)
        if has_px < wants_px:
            yield f"{_name(table)}: heading {text!r} wants {wants_px} px, has {has_px}"


def _sideways(top: QWidget) -> Iterator[str]:
    for area in top.findChildren(QScrollArea):
        beyond_px = area.horizontalScrollBar().maximum()
        if area.isVisible() and beyond_px and not _of_qt(area):
            inside = area.widget()
            yield f"scrolls sideways by {beyond_px} px: {_name(inside)}"


def _hidden_feet(top: QWidget) -> Iterator[str]:
    """Yield the buttons at the foot of a dialog that are not in sight as it stands."""
    if not isinstance(top, QDialog):
        return
    scrolled = {part for area in top.findChildren(QScrollArea) for part in area.findChildren(QAbstractButton)}
    feet = [part for part in controls(top) if isinstance(part, QAbstractButton) and part not in scrolled]
    if not feet:
        yield f"{_name(top)} has no buttons outside of what scrolls"
    for part in feet:
        box = QRect(part.mapTo(top, part.rect().topLeft()), part.size())
        if not top.rect().contains(box):
            yield f"{_name(part)} is not in sight: {box.getRect()} of {top.size().toTuple()}"
