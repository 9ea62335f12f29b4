"""The window with a simulated host: from the wizard to the result, marked on every page, and light all the while."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.main_window import MainWindow
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard.page_names import PAGES
from app.wizard.wizard import Wizard
from scheduler.model.documents import RunOutcome
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import PAPER_SPLITS, RunSpec
from tests.data_maker import make_spec
from tests.quiet import until_fine
from tests.ui.turns import Turns
from tests.ui.wizard.helpers import press

pytestmark = pytest.mark.ui
LIMIT_MS = 120_000
# A quarter of a frame goes to documents (app/pipes.py); what is left is painting, on a machine with other work.
_TURN_MS = 33.0


@pytest.fixture
def host() -> str:
    return "sim:"


def test_wizard_leads_to_a_simulated_sweep(wizard: Wizard, qtbot):
    for index in range(len(PAGES)):
        if index == len(PAGES) - 1:
            qtbot.waitUntil(lambda: wizard.review.answer is not None, timeout=LIMIT_MS)
            assert wizard.review.answer.error == ""
            assert wizard.review.answer.facts.simulated
        with qtbot.waitSignal(wizard.start, raising=index == len(PAGES) - 1, timeout=200) as started:
            press(qtbot, wizard, Qt.Key.Key_Return)
    spec, _ = started.args
    assert isinstance(spec, RunSpec)
    assert spec.host_url == "sim:"
    assert spec.settings == tuple(parse_split_setting(text) for text in PAPER_SPLITS)


@pytest.mark.alone
def test_hours_pass_in_the_window_while_it_stays_light_and_reports_simulated(theme: Theme, home: Path, qtbot):
    window = MainWindow(theme, Settings())
    with qtbot.waitSignal(window.home.loaded, timeout=10_000):
        window.show()
    turns = until_fine(lambda: _turns_of_hours(window, qtbot), lambda turns: turns.work_ms(99) <= _TURN_MS)
    assert turns.work_ms(99) <= _TURN_MS, turns
    qtbot.waitUntil(lambda: window.runner.idle, timeout=LIMIT_MS)
    window.show_result(window.session.run_id)
    qtbot.waitUntil(lambda: window.result.complete, timeout=LIMIT_MS)
    assert window.result.ribbon.isVisible()
    assert "(simulated)" in window.result.head.sentence.text()
    assert not window.result.footer.apply.isEnabled()
    window.close()
    window.deleteLater()


def _turns_of_hours(window: MainWindow, qtbot) -> Turns:
    window.begin(make_spec("sim:", repeats=2, measure_s=300), {})
    qtbot.waitUntil(lambda: bool(window.session.run_id), timeout=LIMIT_MS)
    qtbot.waitUntil(window.live.ribbon.isVisible, timeout=LIMIT_MS)
    turns = Turns()
    turns.start()
    if window.session.active:
        with qtbot.waitSignal(window.session.ended, timeout=LIMIT_MS):
            pass
    turns.stop()
    assert window.session.stopped.outcome is RunOutcome.COMPLETED
    return turns


def test_simulated_result_leads_to_another_scheduler(theme: Theme, home: Path, qtbot):
    window = MainWindow(theme, Settings())
    qtbot.addWidget(window)
    with qtbot.waitSignal(window.home.loaded, timeout=10_000):
        window.show()
    spec = make_spec("sim:", splits=("1:1", "1:2"))
    window.plan_elsewhere(spec)
    assert window.wizard.page is window.wizard.page_at(0)
    assert window.wizard.state.spec == spec
    qtbot.waitUntil(lambda: window.wizard.state.facts is not None, timeout=LIMIT_MS)
    qtbot.waitUntil(lambda: window.runner.idle, timeout=LIMIT_MS)
    window.close()
