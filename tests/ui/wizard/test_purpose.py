"""The reason for the sweep is asked in words, and reaches the plan and the review."""

import pytest
from PySide6.QtCore import Qt

from app.wizard.sweep_form import SweepForm
from app.wizard.wizard import Wizard
from scheduler.model.decision import SweepPurpose
from tests.ui.wizard.helpers import click, page_texts, type_into

pytestmark = pytest.mark.ui


@pytest.fixture
def host() -> str:
    return "sim:"


def test_purpose_card_choice_reaches_plan_and_review(wizard: Wizard, qtbot):
    wizard.go(3)
    card = wizard.page.purpose
    assert card.choices[SweepPurpose.IMPROVE].isChecked()
    type_into(qtbot, card.worth.edit, "5")
    assert wizard.state.spec.objective.worth_frac == 0.05
    wizard.go(5)
    assert "A change must gain at least 5" in page_texts(wizard)
    wizard.go(3)
    card.choices[SweepPurpose.DIVIDE].setFocus(Qt.FocusReason.OtherFocusReason)
    click(qtbot, card.choices[SweepPurpose.DIVIDE])
    assert wizard.state.spec.objective.purpose is SweepPurpose.DIVIDE
    assert not card.worth.isVisible()
    wizard.go(5)
    assert "The CPU has to be divided" in page_texts(wizard)


def test_purpose_card_worth_out_of_range_is_refused_on_its_page():
    form = SweepForm()
    form.texts["objective.worth_frac"] = "0"
    assert "is not between 0.1 and 100 %" in form.messages("loads")["objective.worth_frac"]


def test_purpose_card_study_without_splits_hides_it(wizard: Wizard):
    wizard.go(3)
    wizard.state.form.ask("capacity")
    wizard.page.refresh()
    assert not wizard.page.purpose.isVisible()
