"""The own command's pattern is tried in the window on a text that is pasted; no program is run, and nothing waits."""

import time

import pytest
from PySide6.QtCore import QMimeData

from app.wizard.pattern_dialog import MOST_LETTERS, PatternDialog
from app.wizard.wizard import Wizard
from scheduler.model.load_kinds import LOAD_KINDS, PATTERN_PARAMETER, UNIT_PARAMETER
from tests.ui.wizard.helpers import LIMIT_MS, click, type_into

pytestmark = pytest.mark.ui

LOADS = 3
KIND = next(name for name, kind in LOAD_KINDS.items() if kind.runs)
MOST_S = 0.5  # of a slot; what the pattern takes is for ever


@pytest.fixture
def dialog(wizard: Wizard, qtbot) -> PatternDialog:
    wizard.go(LOADS)
    card = wizard.page.cards[KIND]
    click(qtbot, card.on)
    card.set_parameter(UNIT_PARAMETER, "requests/s")
    card.set_parameter(PATTERN_PARAMETER, "(?P<rate>[0-9]+) per second")
    click(qtbot, card.inputs.try_it)
    return next(part for part in wizard.page.findChildren(PatternDialog) if part.isVisible())


def paste(dialog: PatternDialog, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    dialog.text.insertFromMimeData(data)


def verdict(dialog: PatternDialog, said: str, qtbot) -> None:
    qtbot.waitUntil(lambda: said in dialog.verdict.text(), timeout=LIMIT_MS)


def test_lines_are_understood_as_the_pattern_is_typed_and_the_card_takes_it(dialog, wizard, qtbot):
    paste(dialog, "hello\n1500 per second\n")
    verdict(dialog, "1 of 2 lines", qtbot)
    assert dialog.found.toPlainText().splitlines()[1].startswith("1.50k requests/s")
    type_into(qtbot, dialog.pattern.edit, "(?P<rate>")
    verdict(dialog, "is no pattern", qtbot)
    assert dialog.found.toPlainText() == ""
    type_into(qtbot, dialog.pattern.edit, "(?P<count>[0-9]+) per (?P<latency_ms>)")
    verdict(dialog, "1 of 2 lines", qtbot)
    assert "1.5k since the line before" in dialog.found.toPlainText()
    click(qtbot, dialog.use)
    assert wizard.state.form.loads[KIND][PATTERN_PARAMETER] == "(?P<count>[0-9]+) per (?P<latency_ms>)"
    assert wizard.page.cards[KIND].inputs.others[PATTERN_PARAMETER].edit.text().startswith("(?P<count>")
    assert wizard.state.spec.units[KIND] == "requests/s"


def test_pattern_that_takes_for_ever_holds_nothing(dialog, qtbot):
    began_s = time.process_time()
    paste(dialog, "o" * 64)
    type_into(qtbot, dialog.pattern.edit, "(?P<rate>(o+)+)Z")
    verdict(dialog, "takes more than", qtbot)
    assert time.process_time() - began_s < MOST_S


def test_no_more_is_pasted_than_is_looked_at(dialog):
    paste(dialog, "x" * 10 * MOST_LETTERS)
    assert MOST_LETTERS - 2 <= len(dialog.text.toPlainText()) <= MOST_LETTERS


def test_only_kinds_that_run_a_program_have_it(wizard: Wizard, qtbot):
    wizard.go(LOADS)
    assert not any(card.inputs.try_it.isVisible() for card in wizard.page.cards.values())  # none of them is on
    for card in wizard.page.cards.values():
        card.on.setChecked(True)
    assert {kind for kind, card in wizard.page.cards.items() if card.inputs.try_it.isVisible()} == {KIND}
