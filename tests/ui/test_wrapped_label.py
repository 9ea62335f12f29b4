"""Labels that wrap: long names break, and what is copied is what was set."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QLabel, QWidget

from app.theme.theme import Theme
from app.widgets.labels import make_label, make_selectable, set_role
from app.widgets.wrapped_label import insert_break_marks, remove_break_marks

pytestmark = pytest.mark.ui
_URL = "xl+ssh://root@xenproduction01.rack17.muenchen.example.org:2222/"


@pytest.mark.parametrize("text", [_URL, "a" * 90, f"{_URL} cannot be reached: {_URL}"])
def test_no_name_makes_a_label_wider_than_a_narrow_card(text: str, qtbot):
    part = make_label(text, wrap=True)
    qtbot.addWidget(part)
    assert part.minimumSizeHint().width() < 260
    assert part.text() == text


def test_what_is_copied_is_what_was_set(qtbot):
    part = make_selectable(make_label(f"Reach {_URL} by hand", wrap=True))
    qtbot.addWidget(part)
    part.show()
    part.setSelection(0, len(insert_break_marks(part.text())))
    assert part.selectedText() == part.text()
    qtbot.keyClick(part, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == f"Reach {_URL} by hand"


def test_screen_reader_learns_what_was_set_unless_the_label_has_another_name(qtbot):
    part, named = make_label(_URL, wrap=True), make_label("", wrap=True)
    named.setAccessibleName("Host")
    named.setText(_URL)
    assert part.accessibleName() == _URL
    assert named.accessibleName() == "Host"
    part.setText("short")
    assert part.accessibleName() == ""


def test_no_line_ends_within_io():
    assert "\N{WORD JOINER}" in insert_break_marks("the I/O domain")
    assert remove_break_marks(insert_break_marks("the I/O domain of a/b")) == "the I/O domain of a/b"
    assert insert_break_marks("2/3 of it, or 10/11") == "2/\N{WORD JOINER}3 of it, or 10/11"


_LONG = "The guest waits for its disk, and the I/O domain for its CPU: " * 3
_CHANGES: dict[str, Callable[[QLabel], object]] = {
    "text": lambda part: part.setText(f"{_LONG} {_LONG}"),
    "nothing": lambda part: part.clear(),
    "font": lambda part: part.setFont(QFont(part.font().family(), 22)),
    "style sheet": lambda part: part.parentWidget().setStyleSheet("QLabel { font-size: 25pt; padding: 9px; }"),
    "role": lambda part: set_role(part, "display"),
    "indent": lambda part: part.setIndent(90),
    "margins": lambda part: part.setContentsMargins(40, 30, 40, 30),
    "wraps no more": lambda part: part.setWordWrap(False),
    "selectable": make_selectable,
    "rich": lambda part: (part.setTextFormat(Qt.TextFormat.RichText), part.setText(f"<h1>{_LONG}</h1>")),
}


@pytest.mark.parametrize("change", _CHANGES)
def test_label_remembers_no_height_of_before_a_change(change: str, theme: Theme, qtbot):
    around = QWidget()
    qtbot.addWidget(around)
    part = make_label(_LONG, wrap=True, parent=around)
    around.show()
    widths = (90, 260, 700)
    before = [part.heightForWidth(width) for width in widths]
    assert before == [QLabel.heightForWidth(part, width) for width in widths]
    _CHANGES[change](part)
    after = [part.heightForWidth(width) for width in widths]
    assert after == [QLabel.heightForWidth(part, width) for width in widths]
    assert (after != before) == (change != "selectable")


def test_label_asks_qt_once_for_each_width(monkeypatch: pytest.MonkeyPatch, qtbot):
    part = make_label(_LONG, wrap=True)
    qtbot.addWidget(part)
    part.heightForWidth(300)
    asked: list[int] = []
    monkeypatch.setattr(QLabel, "heightForWidth", lambda _, width: asked.append(width) or 1)
    for width in (*[300] * 9, *[301] * 9):
        part.heightForWidth(width)
    assert asked == [301]
    for width in range(1000, 1300):
        part.heightForWidth(width)
    assert len(part._heights_px) < 50
