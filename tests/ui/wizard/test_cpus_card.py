"""Choice of the shared CPUs on a map, without a host: properties of many CPUs are given to the card."""

import time

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt

from app.wizard.consent_card import ConsentCard, consent_sentences
from app.wizard.cpus_card import CpusCard
from app.wizard.review_page import build_review_rows
from app.wizard.sweep_form import SweepForm
from app.wizard.wizard_state import WizardState
from scheduler.model.other_guests import OtherGuest
from scheduler.model.spec import RunSpec
from tests.large_hosts import make_large_host

pytestmark = pytest.mark.ui
PAINT_S = 0.016


@pytest.fixture
def card(theme, qtbot):
    state = WizardState(SweepForm(host="xl+ssh://root@xen1"))
    made = CpusCard(theme, state)
    state.changed.connect(made.refresh)
    made.fill()
    made.resize(680, 400)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


def offer(card: CpusCard, cpus: int, nodes: int = 1, threads: int = 1) -> WizardState:
    card._state.store_host_answer(card._state.form.host, make_large_host(cpus, nodes, threads))
    return card._state


def place(card: CpusCard, cpu: int) -> QPoint:
    cells = card.map.positions().cells
    return next(cell.area.center().toPoint() for cell in cells if cpu in cell.cpus)


def test_click_and_drag_choose_cpus_and_show_them_as_ranges(card, qtbot):
    state = offer(card, 8)
    assert card.map.chosen == tuple(range(4))  # as many CPUs as the domains have vCPUs
    qtbot.mouseClick(card.map, Qt.MouseButton.LeftButton, pos=place(card, 1))
    assert card.set.edit.text() == "0, 2-3"
    qtbot.mousePress(card.map, Qt.MouseButton.LeftButton, pos=place(card, 4))
    qtbot.mouseMove(card.map, place(card, 6))
    qtbot.mouseRelease(card.map, Qt.MouseButton.LeftButton, pos=place(card, 6))
    assert card.set.edit.text() == "0, 2-6"
    assert state.spec.cpus.set == "0, 2-6"
    assert not any(button.isChecked() for button in card.presets.values())
    qtbot.mouseClick(card.map, Qt.MouseButton.LeftButton, pos=place(card, 7))
    assert 7 not in card.map.chosen, "CPU 7 is offline"


def test_keys_choose_cpus_and_the_name_reports_them(card, qtbot):
    offer(card, 8)
    card.map.setFocus()
    qtbot.keyClick(card.map, Qt.Key.Key_Space)
    assert card.map.chosen == (1, 2, 3)
    qtbot.keyClick(card.map, Qt.Key.Key_Space)
    for _ in range(3):
        qtbot.keyClick(card.map, Qt.Key.Key_Right)
    qtbot.keyClick(card.map, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert card.map.chosen == (0, 1, 2, 3, 4)
    assert "0-4 of 8 chosen" in card.map.accessibleName()
    assert "CPU 4: the I/O domain and the guest" in card.map.accessibleName()
    for _ in range(4):  # the last CPU cannot be removed
        qtbot.keyClick(card.map, Qt.Key.Key_Space)
        qtbot.keyClick(card.map, Qt.Key.Key_Left)
    qtbot.keyClick(card.map, Qt.Key.Key_Space)
    assert card.map.chosen == (0,)


@pytest.mark.parametrize(
    ("preset", "chosen"),
    [("node 0", range(2)), ("one", (2,)), ("pool", range(7)), ("as-found", range(4, 8)), ("auto", range(4, 7))],
)
def test_preset_chooses_its_cpus(card, qtbot, preset, chosen):
    state = offer(card, 8, 2)
    qtbot.mouseClick(card.presets[preset], Qt.MouseButton.LeftButton)
    assert card.presets[preset].isChecked()
    assert isinstance(state.spec, RunSpec)
    assert state.form.machine.cpus == len(card.map.chosen)


def test_set_that_does_not_fit_the_host_is_refused_at_its_field(card):
    state = offer(card, 8)
    for text, words in (("9", "no CPU 9"), ("7", "not available"), ("x", "no list of CPUs"), ("node 3", "node 3")):
        state.store_text("cpus.set", text)
        assert state.spec is None
        assert words in state.messages["cpus.set"]


def test_map_of_512_cpus_is_painted_within_a_turn(card):
    offer(card, 512, 8, 2)
    card.map.grab()
    spent = []
    for _ in range(5):
        begin = time.process_time()
        card.map.grab()
        spent.append(time.process_time() - begin)
    assert min(spent) < PAINT_S
    assert card.map.height() <= 500


def test_host_that_cannot_place_domains_has_no_choice(card):
    state = offer(card, 8)
    state.store_host_answer(state.form.host, make_large_host(8, placed=False))
    assert not any(button.isVisible() for button in card.presets.values())
    assert not card.set.isVisible()
    assert "not confined" in card.sentence.text()
    assert card.map.focusPolicy() == Qt.FocusPolicy.NoFocus


def offer_neighbours(card: CpusCard, *guests: OtherGuest, moves: bool = True) -> WizardState:
    facts = make_large_host(8)
    support = msgspec.structs.replace(facts.placement, moves_others=moves)
    card._state.store_host_answer(
        card._state.form.host, msgspec.structs.replace(facts, placement=support, others=guests)
    )
    return card._state


WEB = OtherGuest("web1", "2", (0, 1, 2, 3), used_cpus=1.5)
FAR = OtherGuest("mail1", "3", (4, 5))


def test_other_guests_on_the_set_are_kept_off_by_a_tick_and_named_in_the_agreement(card, qtbot):
    state = offer_neighbours(card, WEB, FAR)
    assert card.away.isVisible()
    assert not card.away.isChecked()
    assert "web1" in card.away_guests.text()
    assert "mail1" not in card.away_guests.text()
    qtbot.mouseClick(card.away, Qt.MouseButton.LeftButton, pos=QPoint(8, card.away.height() // 2))
    assert state.spec.cpus.others == "away"
    text = consent_sentences(state.facts, state.placed, state.form.mode)
    assert "other guests on CPUs 4-6: web1 (now: 0-3)" in text
    assert "other guests: web1." in build_review_rows(state.spec, state.placed)[1].text
    qtbot.mouseClick(card.presets["as-found"], Qt.MouseButton.LeftButton)  # confines no domain, and moves no guest
    assert state.spec.cpus.others == "leave"
    assert not card.away.isVisible()


@pytest.mark.parametrize(("guests", "moves"), [((), True), ((FAR,), True), ((WEB,), False)])
def test_without_guests_to_move_there_is_no_tick(card, guests, moves):
    offer_neighbours(card, *guests, moves=moves)
    assert not card.away.isVisible()
    assert not card.away_guests.isVisible()


def test_refused_choice_of_a_plan_stays_visible_with_its_reason(card):
    state = offer_neighbours(card, WEB)
    state.form.texts.update({"cpus.set": "pool", "cpus.others": "away"})
    state.touch()
    assert "No CPU is left for web1" in state.messages["cpus.others"]
    assert card.away.isVisible()
    assert card.away.isChecked()


def test_tick_for_the_placement_removes_and_restores_the_choice_of_other_guests(card, qtbot):
    state = offer_neighbours(card, WEB)
    state.store_text("cpus.others", "away")
    consent = ConsentCard(state)
    qtbot.addWidget(consent)
    consent.refresh()
    consent.tick.click()
    assert (state.spec.cpus.set, state.spec.cpus.others) == ("as-found", "leave")
    consent.tick.click()
    assert (state.spec.cpus.set, state.spec.cpus.others) == ("auto", "away")
