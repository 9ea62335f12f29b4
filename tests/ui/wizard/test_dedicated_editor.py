"""Splits into whole CPUs and the consent to confine, on hosts of several CPUs that are given to the pages."""

import pytest
from PySide6.QtCore import QPoint, Qt

from app.wizard.consent_card import ConsentCard
from app.wizard.dedicated_editor import DedicatedEditor, placement_table
from app.wizard.dedicated_rows import nearest_count, widest_gap_count
from app.wizard.sweep_form import SweepForm
from app.wizard.wizard_state import WizardState
from scheduler.model.plan_file import parse_plan, write_plan
from tests.large_hosts import URL, make_large_host

pytestmark = pytest.mark.ui
DEDICATED = f'host = "{URL}"\nmode = "dedicated"\n'


@pytest.fixture
def state() -> WizardState:
    made = WizardState(SweepForm.from_spec(parse_plan(DEDICATED)))
    made.store_host_answer(URL, make_large_host(16))
    return made


@pytest.fixture
def editor(theme, qtbot, state):
    made = DedicatedEditor(theme, state)
    made.changed.connect(state.touch)
    state.changed.connect(made.refresh)
    made.resize(640, 400)
    made.refresh()
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_splits_and_users_left_to_the_host_stay_absent_in_the_plan(state):
    assert state.form.current_splits == ["1:7", "2:6", "3:5", "4:4", "5:3", "6:2", "7:1"]
    assert {load.users for load in state.ahead.loads} == {32}
    text = write_plan(state.spec)
    assert "splits" not in text
    assert "users" not in text
    assert state.spec == parse_plan(DEDICATED)


def test_splits_are_checked_against_the_chosen_set(state):
    state.form.whole_splits = ["3:5"]
    state.touch()
    assert state.messages == {}
    state.store_text("cpus.set", "0-5")
    assert "not whole CPUs" in state.messages["splits[0]"]
    state.store_text("cpus.set", "0")
    assert "fewer than one CPU each" in state.messages["cpus.set"]


def test_boundary_is_dragged_to_a_free_number_of_cpus(editor, state, qtbot):
    bar = editor.rows.bar(1)
    assert [split.label for split in editor._splits][1] == "2:6"
    assert not editor.by_host.isVisible() or editor.by_host.isChecked()
    qtbot.mouseClick(editor.rows, Qt.MouseButton.LeftButton, pos=QPoint(editor.width() - 46, int(bar.center().y())))
    assert state.form.whole_splits == ["1:7", "3:5", "4:4", "5:3", "6:2", "7:1"]
    bar = editor.rows.bar(0)
    place = QPoint(int(bar.left() + bar.width() * 2 / 8), int(bar.center().y()))
    qtbot.mousePress(editor.rows, Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseRelease(editor.rows, Qt.MouseButton.LeftButton, pos=place)
    assert state.form.whole_splits[0] == "2:6"
    assert state.spec.splits[0].label == "2:6"


def test_keys_move_remove_and_add_splits(editor, state, qtbot):
    editor.rows.setFocus()
    qtbot.keyClick(editor.rows, Qt.Key.Key_Delete)
    assert "1:7" not in state.form.whole_splits
    qtbot.keyClick(editor.rows, Qt.Key.Key_Left)
    assert state.form.whole_splits[0] == "1:7"
    assert "1:7: 1 CPUs for the I/O domain, 7 for the guest" in editor.rows.accessibleName()
    qtbot.mouseClick(editor.add, Qt.MouseButton.LeftButton)
    assert state.form.whole_splits[:2] == ["1:7", "2:6"]


def test_split_beyond_the_vcpus_of_a_domain_shows_the_reason(editor):
    reasons = {split.label: split.reason for split in editor._splits}
    assert reasons["4:4"] == ""
    assert reasons["6:2"] == "The I/O domain has 4 vCPUs: it can use 4 of its 6 CPUs."
    assert "The guest has 4 vCPUs" in reasons["1:7"]


def test_placement_table_names_the_cpus_of_both_domains(state):
    rows = placement_table(state.form.split_rows(), state.placed.shared_cpus).rows
    assert tuple(rows[1]) == ("2:6", "0-1", "2-7")


def test_free_numbers_of_cpus_stay_within_one_to_hundred():
    assert nearest_count(0.2, 256, []) == 3
    assert nearest_count(2, 4, [1, 2, 3]) is None
    assert widest_gap_count(8, [1, 2, 7]) in (4, 5)


def test_consent_names_both_placements_and_can_be_refused(theme, qtbot):
    state = WizardState(SweepForm(host=URL))
    state.store_host_answer(URL, make_large_host(8, 2))
    card = ConsentCard(state)
    state.changed.connect(card.refresh)
    qtbot.addWidget(card)
    card.refresh()
    words = "Domain-0 on CPUs 4-6 (now: all CPUs) and db1 on CPUs 4-6 (now: 4-7)"
    assert words in card.words.text()
    assert card.tick.isChecked()
    card.tick.click()
    assert state.spec.cpus.set == "as-found"
    assert 'set = "as-found"' in write_plan(state.spec)
    assert not state.placed.confined
    assert "measured as it is found" in card.words.text()
    card.tick.click()
    assert state.spec.cpus.set == "auto"
    assert words in card.words.text()


def test_consent_is_not_asked_where_nothing_is_confined(theme, qtbot):
    state = WizardState(SweepForm(host=URL))
    state.store_host_answer(URL, make_large_host(8, placed=False))
    card = ConsentCard(state)
    qtbot.addWidget(card)
    card.refresh()
    assert not card.isVisibleTo(None)
