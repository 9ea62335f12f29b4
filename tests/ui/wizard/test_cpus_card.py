"""Choice of the shared CPUs on a map, without a host: properties of many CPUs are given to the card."""

import time

import pytest
from PySide6.QtCore import QPoint, Qt

from app.wizard.cpus_card import CpusCard
from app.wizard.sweep_form import SweepForm
from app.wizard.wizard_state import WizardState
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
