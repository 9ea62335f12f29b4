"""Parameters that are one of a few words are chosen from a list, and by nobody who only scrolls past."""

import pytest
from PySide6.QtCore import Qt

from app.wizard.load_card import ListField
from app.wizard.sweep_form import SweepForm
from app.wizard.wizard import Wizard
from scheduler.model.load_kinds import LOAD_KINDS
from tests.ui.wheel import turn_wheel
from tests.ui.wizard.helpers import click

pytestmark = pytest.mark.ui

LOADS = 3


@pytest.fixture
def card(wizard: Wizard, qtbot):
    wizard.go(LOADS)
    found = wizard.page.cards["order-entry"]
    click(qtbot, found.on)
    wizard.stack.currentWidget().ensureWidgetVisible(found)
    return found


def test_parameter_of_a_few_words_is_a_list(wizard: Wizard, card, qtbot):
    isolation = card.inputs.others["isolation"]
    assert isinstance(isolation, ListField)
    assert isolation.combo.isVisible()
    assert not isolation.edit.isVisible()
    declared = next(each for each in LOAD_KINDS["order-entry"].parameters if each.name == "isolation")
    assert [isolation.combo.itemText(i) for i in range(isolation.combo.count())] == list(declared.choices)
    isolation.combo.setFocus()
    qtbot.keyClick(isolation.combo, Qt.Key.Key_Down)
    assert wizard.state.spec.load_of("order-entry").values["isolation"] == "repeatable-read"


def test_yes_and_no_are_chosen(wizard: Wizard, card, qtbot):
    procedures = card.inputs.others["procedures"]
    assert procedures.combo.currentText() == "yes"
    qtbot.keyClick(procedures.combo, Qt.Key.Key_Down)
    assert wizard.state.spec.load_of("order-entry").values["procedures"] is False


def test_wheel_chooses_nothing(wizard: Wizard, card):
    before = wizard.state.spec
    for name in ("isolation", "procedures"):
        turn_wheel(card.inputs.others[name].combo)
    assert wizard.state.spec == before


def test_what_is_no_choice_is_reported_and_stays_until_another_is_chosen(wizard: Wizard, card, qtbot):
    isolation = card.inputs.others["isolation"]
    form: SweepForm = wizard.state.form
    form.loads["order-entry"]["isolation"] = "chaos"
    card.fill()
    card.changed.emit()
    isolation.reveal()
    assert isolation.combo.currentText() == "chaos"
    assert "chaos" in isolation.message.text()
    assert isolation.combo.property("invalid") == "true"
    isolation.combo.setFocus()
    qtbot.keyClick(isolation.combo, Qt.Key.Key_Home)
    assert wizard.state.spec.load_of("order-entry").values["isolation"] == "read-committed"
