"""Loads that run together, on the page of loads: driven as a person would, against the real commands."""

import pytest

from app.wizard.mix_fields import MIX
from app.wizard.one_trial_plans import one_trial_plan, separate_trials_plan
from app.wizard.plan_texts import time_needed
from app.wizard.wizard import Wizard
from scheduler.model.plan_file import parse_plan
from tests.ui.wizard.helpers import LIMIT_MS, click, page_texts, type_into
from tests.ui.wizard.test_looks import _all_seen as all_seen

pytestmark = pytest.mark.ui

PLAN = """host = '{host}'
[[load]]
kind = 'osdb-ir'
alone = false
[[load]]
kind = 'osdb-oltp'
users = 12
[[mix]]
name = 'lunch'
loads = ['osdb-ir', 'osdb-oltp']
[objective]
weights = {{ osdb-oltp = 1.0, 'lunch/osdb-ir' = 3.0, 'lunch/osdb-oltp' = 1.0 }}
"""
FAVOURED = """host = '{host}'
[[mix]]
name = 'noon'
loads = ['osdb-ir', 'osdb-oltp']
[objective]
name = 'limited'
load = 'noon/osdb-ir'
limit_frac = 0.05
"""


@pytest.fixture
def card(wizard: Wizard):
    wizard.go(3)
    return wizard.page.mixes


def test_loads_that_run_together_are_described_and_started(wizard: Wizard, card, host: str, qtbot):
    click(qtbot, card.add)
    (row,) = card.rows
    assert row.name.edit.hasFocus()
    assert row.name.edit.text() == "noon"
    type_into(qtbot, row.name.edit, "lunch")
    type_into(qtbot, wizard.page.cards["osdb-oltp"].inputs.users.edit, "12")
    assert [box.text() for box in row.members.values()] == ["IR, 5 users", "OLTP, 12 users"]
    click(qtbot, row.members["osdb-oltp"])
    wizard.next()
    assert wizard.page is wizard.page_at(3)
    assert "IR alone is no mix" in page_texts(wizard)
    click(qtbot, row.members["osdb-oltp"])
    click(qtbot, card.alone["osdb-ir"])
    assert not wizard.page.cards["osdb-ir"].inputs.weight.isVisible()
    type_into(qtbot, row.weights["osdb-ir"].edit, "3")
    wizard.go(5)
    qtbot.waitUntil(lambda: wizard.review.answer is not None, timeout=LIMIT_MS)
    assert wizard.review.answer.error == ""
    assert "Together, as lunch: 5 users read rows (IR) and 12 users" in page_texts(wizard)
    with qtbot.waitSignal(wizard.start) as started:
        click(qtbot, wizard.footer.next)
    assert started.args[0] == parse_plan(PLAN.format(host=host))


def test_plan_with_a_mix_is_opened_and_loses_nothing(wizard: Wizard, card, host: str, qtbot):
    for text in (PLAN, FAVOURED):
        spec = parse_plan(text.format(host=host))
        wizard.load_spec(spec)
        wizard.go(3)
        assert (wizard.state.spec, wizard.has_unsaved_input) == (spec, False)
        assert len(card.rows) == 1
    assert wizard.page.objective.favoured.currentText() == "IR in noon"
    type_into(qtbot, card.rows[0].name.edit, "lunch")
    assert wizard.state.spec.objective.load == "lunch/osdb-ir"
    click(qtbot, card.rows[0].take_out)
    assert card.rows == []
    assert "is not a load of this sweep" in page_texts(wizard)


def test_simulated_machine_reports_below_why_it_has_no_mix(wizard: Wizard, card, qtbot):
    click(qtbot, card.add)
    wizard.page_at(0)._store_input("sim:")
    wizard.page.refresh()
    assert not card.add.isEnabled()
    assert "one class of users at a time" in card.message.text()
    assert card.message.isVisible()
    click(qtbot, card.rows[0].take_out)
    assert not card.message.isVisible()
    assert "one class of users at a time" in card.why.text()
    assert card.why.isVisible()
    assert wizard.state.spec is not None


@pytest.mark.parametrize("size", [(1024, 600), (1280, 800)])
def test_two_mixes_of_many_loads_fit(wizard: Wizard, card, size, qtbot):
    wizard.resize(*size)
    for kind in ("tpcb", "order-entry", "brokerage"):
        click(qtbot, wizard.page.cards[kind].on)
    click(qtbot, card.add)
    click(qtbot, card.add)
    assert len({row.name.edit.text() for row in card.rows}) == 2
    all_seen(qtbot, wizard.page)


def test_mixes_card_short_way_has_all_loads_in_one_trial_and_back(wizard: Wizard, card, qtbot):
    assert card.ways[""].isChecked()
    click(qtbot, card.ways[MIX])
    assert [load.name for load in wizard.state.spec.loads] == ["mix/osdb-ir", "mix/osdb-oltp"]
    assert card.ways[MIX].isChecked()
    assert "Takes half the time." in card.ways[MIX].accessibleDescription()
    click(qtbot, card.alone["osdb-ir"])
    assert not any(button.isChecked() for button in card.ways.values()), "neither way: one load runs also alone"
    click(qtbot, card.ways[""])
    assert [load.name for load in wizard.state.spec.loads] == ["osdb-ir", "osdb-oltp"]
    assert card.rows == []


def test_review_states_minutes_of_both_ways(wizard: Wizard, card, qtbot):
    for way in ("", MIX):
        wizard.go(3)
        click(qtbot, card.ways[way])
        wizard.go(5)
        words = wizard.review.ways.text()
        spec = wizard.state.spec
        assert wizard.review.ways.isVisible()
        for each in (separate_trials_plan(spec) or spec, one_trial_plan(spec) or spec):
            assert time_needed(each) in words
    assert "the result is for the mix" in words


def test_mixes_card_simulated_host_has_no_short_way(wizard: Wizard, card, qtbot):
    wizard.page_at(0)._store_input("sim:")
    wizard.page.refresh()
    assert not card.ways[MIX].isEnabled()
    assert "one class of users at a time" in card.why.text()
    wizard.go(5)
    assert not wizard.review.ways.isVisible()
