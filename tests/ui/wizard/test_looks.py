"""Words, letters, focus: at both sizes and in both palettes."""

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QWidget

from app.core_process import CommandRunner
from app.settings import Settings
from app.theme.theme import Appearance, Theme
from app.wizard.page_names import PAGES
from app.wizard.wizard import Wizard
from tests.data_maker import make_facts
from tests.ui.looks import clipped, not_reached_by_tab, outside

pytestmark = pytest.mark.ui


def _show_all(wizard: Wizard) -> None:
    """Unfold whatever can be unfolded, and make messages appear."""
    wizard.state.store_host_answer(wizard.state.form.host.strip(), make_facts(wizard.state.form.host))
    wizard.page_at(3).database.own.click()
    wizard.page_at(3).database.each.click()
    wizard.page_at(3).mixes.refresh()
    wizard.page_at(3).mixes.add.click()
    wizard.page_at(3).clients.cluster.click()
    wizard.page_at(4).adjust.setChecked(True)
    wizard.page_at(5).fold.setChecked(True)


@pytest.mark.parametrize(
    ("size", "appearance"),
    [((1280, 800), Appearance.LIGHT), ((640, 400), Appearance.DARK)],
    ids=["1280x800", "200 percent of it"],
)
def test_no_word_is_cut_off(wizard: Wizard, theme: Theme, appearance: Appearance, size: tuple[int, int], qtbot):
    theme.set_appearance(appearance)
    _show_all(wizard)
    wizard.resize(*size)
    for index in range(len(PAGES)):
        wizard.go(index)
        _all_seen(qtbot, wizard.page)
        assert wizard.size().toTuple() == size
    _all_seen(qtbot, wizard.footer)


def _all_seen(qtbot, part: QWidget) -> None:
    """Wait until nothing of a part is cut off; its rows find their heights in some turns of the event loop."""

    def seen() -> None:
        assert clipped(part) == []
        assert outside(part) == []

    qtbot.wait(10)
    qtbot.waitUntil(seen, timeout=30_000)


def test_controls_of_each_page_have_names_tab_stops_and_letters_of_their_own(wizard: Wizard, qtbot):
    _show_all(wizard)
    for index, name in enumerate(PAGES):
        wizard.go(index)
        _check_names_and_tabs(wizard, name)
        _check_letters(wizard)


def _check_names_and_tabs(wizard: Wizard, page: str) -> None:
    by_arrows = [button.text() for button in wizard.findChildren(QAbstractButton) if button.group()]
    assert [name for name in not_reached_by_tab(wizard) if name not in by_arrows] == [], page
    edits = [edit for edit in wizard.page.findChildren(QLineEdit) if edit.isVisible()]
    buttons = [button for button in wizard.findChildren(QAbstractButton) if button.isVisible()]
    assert all(edit.accessibleName() for edit in edits), page
    assert all(button.text() or button.accessibleName() for button in buttons), page


def _check_letters(wizard: Wizard) -> None:
    parts = [*wizard.page.findChildren(QLabel), *wizard.page.findChildren(QAbstractButton)]
    parts += wizard.footer.findChildren(QAbstractButton)
    shown = [part for part in parts if part.isVisible() and (not isinstance(part, QLabel) or part.buddy())]
    menus = ["Alt+S", "Alt+H"]  # of the window around it
    letters = menus + [key for part in shown if (key := QKeySequence.mnemonic(part.text()).toString())]
    assert sorted(letters) == sorted(set(letters))
    assert len(letters) >= 6


def test_steps_shrink_to_their_marks_where_the_window_is_narrow(wizard: Wizard, qtbot):
    wide = wizard.rail.width()
    wizard.resize(640, 400)
    assert wizard.rail.width() < wide / 2
    assert all(step.accessibleName() and step.toolTip() for step in wizard.rail.steps)


def test_no_part_of_a_page_is_a_window_of_its_own_even_for_a_moment(theme: Theme, runner: CommandRunner, qtbot):
    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
            if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
                shown.append(watched)
            return False

    shown: list[QWidget] = []
    watch = Watch()
    QApplication.instance().installEventFilter(watch)
    wizard = Wizard(theme, Settings(), runner)
    qtbot.addWidget(wizard)
    for index in range(len(PAGES)):
        wizard.page_at(index)
    QApplication.instance().removeEventFilter(watch)
    assert shown == []
