"""What the live page says and what its buttons do, on documents of whole sweeps."""

import time

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.display_texts import format_clock, typeset_text
from app.pages.live_page import LivePage
from app.pages.stop_dialog import StopDialog
from app.plots.live_texts import setting_name
from scheduler.model.decision import DecisionKind, SweepDecision
from scheduler.model.documents import (
    DecisionSoFar,
    LoadSample,
    RunOutcome,
    RunState,
    RunStopped,
    TrialDone,
    TrialStarted,
)
from scheduler.model.protocols import PROTOCOLS
from scheduler.plans.study_plan import count_certain_trials
from tests.data_maker import make_documents
from tests.settings import setting_at
from tests.ui.looks import clipped, not_reached_by_tab
from tests.ui.plots.helpers import redrawn
from tests.ui.recorded import RecordedSession


def test_strip_reports_what_goes_on_and_how_long_it_takes(page: LivePage, session):
    page.attach(session)
    session.play_until(TrialStarted, 6)
    session.play_until(LoadSample, 7)
    strip = redrawn(page).strip
    assert strip.state.text().startswith("Measuring")
    assert strip.detail.text() == "trial 6 of 60"
    assert strip.left.text().endswith("left")
    assert strip.ends.text().startswith("until about")
    assert strip.progress.done == 5


def test_pause_gives_the_host_back_and_resume_goes_on(page: LivePage, session, qtbot):
    page.attach(session)
    session.play_until(TrialStarted, 6)
    redrawn(page)
    assert page.strip.pause.text() == "Pause"
    qtbot.mouseClick(page.strip.pause, Qt.MouseButton.LeftButton)
    strip = redrawn(page).strip
    assert strip.state.text() == "Paused"
    assert "as it was found" in strip.detail.text()
    assert strip.ends.text() == "after you resume"
    assert strip.pause.text() == "Resume"
    assert strip.pause.isEnabled()
    qtbot.mouseClick(strip.pause, Qt.MouseButton.LeftButton)
    assert redrawn(page).strip.pause.text() == "Pause"
    assert page.board.state is RunState.RUNNING


def test_stopping_asks_reports_what_happens_and_can_be_refused(page: LivePage, session, qtbot):
    page.attach(session)
    session.play_until(TrialDone, 6)
    redrawn(page)
    qtbot.mouseClick(page.strip.stop, Qt.MouseButton.LeftButton)
    dialog = page.findChild(StopDialog)
    words = " ".join(label.text() for label in dialog.findChildren(type(page.strip.left)))
    assert ". This takes" in words
    assert "6 trials" in words
    assert not clipped(dialog)
    qtbot.mouseClick(dialog.go_on, Qt.MouseButton.LeftButton)
    assert page.board.stopped is None


def test_stopping_puts_the_host_back_and_then_offers_the_result(page: LivePage, session, qtbot):
    page.attach(session)
    session.play_until(TrialDone, 6)
    redrawn(page)
    qtbot.mouseClick(page.strip.stop, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(page.findChild(StopDialog).stop, Qt.MouseButton.LeftButton)
    strip = redrawn(page).strip
    assert strip.state.text() == "Stopped by you"
    assert "settings are restored" in strip.detail.text()
    assert not strip.pause.isVisible()
    with qtbot.waitSignal(page.result_wanted) as asked:
        qtbot.mouseClick(strip.result, Qt.MouseButton.LeftButton)
    assert asked.args == [page.board.run.run_id]


def test_host_not_restored_is_reported_in_red(page: LivePage):
    session = RecordedSession(make_documents(trials=5, outcome=RunOutcome.FAILED, restored=False))
    page.attach(session)
    session.play(100_000)
    strip = redrawn(page).strip
    assert "NOT restored" in strip.detail.text()
    assert strip.detail.property("role") == "danger"


def test_core_that_died_is_reported_and_nothing_goes_on_as_if_it_measured(page: LivePage, session):
    page.attach(session)
    session.play_until(TrialDone, 6)
    session.play_until(TrialStarted)
    session.play_until(LoadSample, 3)
    assert redrawn(page).plots.split._pulse.place is not None
    session.die()
    strip = redrawn(page).strip
    assert page.message.isVisible()
    assert "unexpectedly" in page.message.text.text()
    assert strip.state.text() == "Broke off at trial 6 of 60"
    assert strip.detail.text() == "The host is not restored yet."
    assert strip.detail.property("role") == "danger"
    assert page.plots.split._pulse.place is None
    assert strip.progress._current is None
    shown = (strip.pause, strip.stop, strip.left, strip.ends, strip.bar, strip.go_on, strip.result, strip.restore)
    assert [part.isVisible() for part in shown] == [False] * 6 + [True] * 2


def test_sweep_that_was_interrupted_reports_when_its_host_was_restored_and_can_be_continued(page, session, qtbot):
    page.attach(session)
    session.play_until(TrialDone, 6)
    session.die()
    last = page.board.stopped
    session.document.emit(msgspec.structs.replace(last, restored=True, restored_unix_s=time.time()))
    strip = redrawn(page).strip
    assert strip.detail.text() == f"The host was restored at {format_clock(time.time())} and verified."
    assert strip.detail.property("role") == "dim"
    assert not strip.restore.isVisible()
    with qtbot.waitSignal(page.continue_wanted) as asked:
        qtbot.mouseClick(strip.go_on, Qt.MouseButton.LeftButton)
    assert asked.args == [page.board.run.run_id]


def test_sweep_that_was_refused_speaks_for_no_one_elses_host(page: LivePage, session):
    page.attach(session)
    reason = "another sweep holds this host (process 4711)"
    page.take(RunStopped(t_s=0.0, outcome=RunOutcome.FAILED, restored=False, busy=True, reason=reason))
    strip = redrawn(page).strip
    assert strip.state.text() == "Not started"
    assert strip.detail.text() == f"This sweep has not changed the host. {reason.capitalize()}."
    assert not any(button.isVisible() for button in (strip.restore, strip.go_on, strip.result))


def test_log_filters_and_copies(page: LivePage, session, qtbot):
    page.attach(session)
    session.play(100_000)
    page.strip.log.setChecked(True)
    redrawn(page)
    log = page.plots.log
    everything = log.text.toPlainText()
    assert len(everything.splitlines()) == len(page.board.log)
    log.filter.setText("excluded,")
    assert len(log.text.toPlainText().splitlines()) == 3
    log.copy.click()
    assert QGuiApplication.clipboard().text() == log.text.toPlainText()
    log.filter.clear()
    assert log.text.toPlainText() == everything


def test_ledger_holds_every_line_that_the_host_was_reported(page: LivePage, session):
    page.attach(session)
    session.play_until(TrialDone, 20)
    page.strip.log.setChecked(True)
    page.plots.side.setCurrentWidget(page.plots.command_log)
    redrawn(page)
    session.play(100_000)
    redrawn(page)
    lines = page.plots.command_log.text.toPlainText().splitlines()
    assert [line.split("  ", 1)[1] for line in lines] == [command.command for command in page.board.command_log]


def test_simulated_run_wears_its_ribbon(page: LivePage):
    session = RecordedSession(make_documents(simulated=True, host_url="sim:"))
    page.attach(session)
    session.play(50)
    assert page.ribbon.isVisible()
    page.attach(RecordedSession(make_documents()))
    assert not page.ribbon.isVisible()


def test_everything_can_be_reached_by_keyboard(new_page: LivePage, session):
    new_page.attach(session)
    session.play_until(TrialDone, 20)
    new_page.strip.log.setChecked(True)
    redrawn(new_page)
    assert not_reached_by_tab(new_page) == []


def test_reason_of_many_lines_is_reported_in_one_and_the_rest_as_details(page: LivePage, session):
    page.attach(session)
    session.play_until(TrialDone, 3)
    reason = "lost PostgreSQL at osdb.example\nLOG: shutting down\nFATAL: no space left"
    page.take(RunStopped(t_s=99.0, outcome=RunOutcome.FAILED, restored=True, reason=reason))
    assert redrawn(page).strip.detail.text() == "The original settings are restored. Lost PostgreSQL at osdb.example."
    assert page.message.text.text() == "Lost PostgreSQL at osdb.example"
    assert page.message.details.toPlainText() == "LOG: shutting down\nFATAL: no space left"


def test_sweep_that_decides_as_it_goes_promises_no_number_of_trials(page: LivePage, qtbot):
    first, *rest = make_documents()
    spec = msgspec.structs.replace(first.spec, protocol=PROTOCOLS["adaptive"])
    session = RecordedSession([msgspec.structs.replace(first, spec=spec, trials=count_certain_trials(spec)), *rest])
    page.attach(session)
    session.play_until(TrialStarted, 31)
    session.play_until(LoadSample, 7)
    strip = redrawn(page).strip
    assert strip.detail.text() == "trial 31, until the best is known"
    assert strip.left.text().endswith("left at most")
    assert strip.ends.text() == "sooner if the best is known"
    assert strip.progress.done == 30
    last = [document for document in rest if isinstance(document, TrialDone)][29]
    assert setting_name(last.setting) in strip.progress.words_for(29)
    assert "trial 31" in strip.progress.words_for(30)
    qtbot.waitUntil(lambda: not clipped(strip))


def test_replay_that_ends_in_the_middle_does_not_look_as_if_it_measured(page: LivePage, qtbot):
    page.replay(make_documents(trials=5, outcome=None))
    qtbot.waitUntil(lambda: page.board.state is RunState.CLOSED)
    strip = redrawn(page).strip
    assert (strip.state.text(), strip.detail.text()) == ("Closed", "the outcome of this run is not recorded yet")
    assert not strip.left.isVisible()


def test_screen_reader_hears_each_state_once_and_the_end(new_page: LivePage, session):
    heard: list[str] = []
    new_page.strip.announcer.announced.connect(heard.append)
    new_page.attach(session)
    session.play_until(TrialDone, 3)
    redrawn(new_page)
    session.pause()
    redrawn(new_page)
    session.resume()
    session.play(100_000)
    redrawn(new_page)
    assert heard[0] == "Sweeping"
    assert heard[1] == "Paused"
    assert heard[-1] == "Completed. The original settings are restored."
    assert len(heard) <= 5, "not each trial"


def test_strip_shows_decision_so_far_and_keeps_its_height(page: LivePage, session):
    page.attach(session)
    session.play_until(TrialDone, 6)
    before_px = redrawn(page).strip.height()
    decision = SweepDecision(kind=DecisionKind.NOT_YET, setting=setting_at("2:5"), gain_frac=0.06)
    text = "So far: 2:5 gains 6 % (-1 to +13 %) over the original settings. Not decided: about 9 more minutes."
    page.take(DecisionSoFar(t_s=100.0, decision=decision, text=text, blocks=1))
    strip = redrawn(page).strip
    assert strip.so_far.text() == typeset_text(text)
    assert strip.height() == before_px


def test_strip_forgets_decision_of_run_before(page: LivePage, session):
    page.attach(session)
    session.play_until(TrialDone, 6)
    page.take(DecisionSoFar(t_s=100.0, decision=SweepDecision(), text="So far: nothing.", blocks=0))
    redrawn(page)
    page.attach(RecordedSession(make_documents()))
    assert redrawn(page).strip.so_far.text() == ""


def test_strip_announces_decision_at_the_end(page: LivePage, session):
    heard: list[str] = []
    page.strip.announcer.announced.connect(heard.append)
    page.attach(session)
    session.play_until(TrialDone, 6)
    page.take(DecisionSoFar(t_s=100.0, decision=SweepDecision(), text="Change nothing.", blocks=3, ended=True))
    session.play_until(RunStopped)
    redrawn(page)
    assert heard[-1].startswith("Completed. ")
    assert heard[-1].endswith(" Change nothing.")
