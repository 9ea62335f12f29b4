"""Labels that wrap: long names break, and what is copied is what was set."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.widgets.text import label, selectable
from app.widgets.wrapped_label import breakable, plain

pytestmark = pytest.mark.ui
_URL = "xl+ssh://root@xenproduction01.rack17.muenchen.example.org:2222/"


@pytest.mark.parametrize("text", [_URL, "a" * 90, f"{_URL} cannot be reached: {_URL}"])
def test_that_no_name_makes_a_label_wider_than_a_narrow_card(text: str, qtbot):
    part = label(text, wrap=True)
    qtbot.addWidget(part)
    assert part.minimumSizeHint().width() < 260
    assert part.text() == text


def test_that_what_is_copied_is_what_was_set(qtbot):
    part = selectable(label(f"Reach {_URL} by hand", wrap=True))
    qtbot.addWidget(part)
    part.show()
    part.setSelection(0, len(breakable(part.text())))
    assert part.selectedText() == part.text()
    qtbot.keyClick(part, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == f"Reach {_URL} by hand"


def test_that_a_screen_reader_is_told_what_was_set_unless_the_label_has_another_name(qtbot):
    part, named = label(_URL, wrap=True), label("", wrap=True)
    named.setAccessibleName("Host")
    named.setText(_URL)
    assert part.accessibleName() == _URL
    assert named.accessibleName() == "Host"
    part.setText("short")
    assert part.accessibleName() == ""


def test_that_no_line_ends_within_io():
    assert "\N{WORD JOINER}" in breakable("the I/O domain")
    assert plain(breakable("the I/O domain of a/b")) == "the I/O domain of a/b"
    assert breakable("2/3 of it, or 10/11") == "2/\N{WORD JOINER}3 of it, or 10/11"
