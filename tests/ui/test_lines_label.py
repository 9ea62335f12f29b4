"""Tests of the label of a few lines at most."""

import pytest

from app.pages.host_card import HostCard
from app.widgets.lines_label import LinesLabel
from tests.ui.stages import shown

LONG = "Simulated: a Xen host with one CPU, an I/O domain and a database guest"


@pytest.fixture
def made(qtbot):
    made = LinesLabel(LONG)
    qtbot.addWidget(made)
    return made


def test_lines_label_shortens_last_line_and_keeps_all_in_tooltip(made: LinesLabel):
    lines = made.shown_lines(160)
    assert len(lines) == 2
    assert lines[-1].endswith("\N{HORIZONTAL ELLIPSIS}")
    assert all(made.fontMetrics().horizontalAdvance(line) <= 160 for line in lines)
    assert (made.toolTip(), made.accessibleName(), made.text()) == (LONG, LONG, LONG)


def test_lines_label_with_room_shows_all(made: LinesLabel):
    assert made.shown_lines(2000) == [LONG]
    assert made.heightForWidth(2000) == made.fontMetrics().lineSpacing()


def test_lines_label_breaks_a_name_without_spaces(made: LinesLabel):
    made.setText("xen+ssh://root@" + "a" * 200)
    assert len(made.shown_lines(160)) == 2


def test_lines_label_fixed_never_changes_its_height(qtbot):
    made = LinesLabel("", fixed=True)
    qtbot.addWidget(made)
    empty_px = made.heightForWidth(160)
    made.setText(LONG)
    assert made.heightForWidth(160) == made.heightForWidth(2000) == empty_px == 2 * made.fontMetrics().lineSpacing()


def test_host_card_title_has_room_for_both_lines(theme, runner, qtbot):
    card = HostCard(theme, runner, "sim:", LONG)
    card.setFixedWidth(280)
    with shown(card, qtbot):
        assert card.name.height() >= 2 * card.name.fontMetrics().lineSpacing()
