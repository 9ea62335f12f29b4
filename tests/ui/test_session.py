"""The window's side of a run, against a real core on a made-up host."""

import os
import signal
import sys
from pathlib import Path

import msgspec
import pytest

from app import run_session as session_module
from app.core_process import CommandRunner
from app.run_session import RunSession
from scheduler import places
from scheduler.hosts.remote.guard_commands import LOCK_WAIT_S
from scheduler.hosts.remote.guard_session import _CHANGE_S
from scheduler.model.codec import encode_line
from scheduler.model.documents import (
    RunOutcome,
    RunStarted,
    RunState,
    RunStopped,
    StateChanged,
    TrialDone,
    TrialStarted,
)
from scheduler.model.load import LoadSpec
from scheduler.model.protocols import SweepProtocol
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import RunSpec
from scheduler.run.journal import HostLock
from scheduler.store.run_store import RunStore

_LIMIT_MS = 40_000


def spec_for(home: Path, measure_s: int = 1) -> RunSpec:
    return RunSpec(
        host_url=f"fake:{home}/host.json",
        settings=(parse_split_setting("1:1"), parse_split_setting("1:2")),
        loads=(LoadSpec("osdb-ir"),),
        protocol=SweepProtocol("grid", repeats=1, measure_s=measure_s, settle_s=0, load_settle_s=0),
    )


@pytest.fixture
def run(home: Path, qtbot):
    made = RunSession(CommandRunner())
    made.heard = []
    made.told = []
    made.document.connect(made.heard.append)
    made.notified.connect(lambda *words: made.told.append(words))
    yield made
    if made.active:
        made._core.kill()
        qtbot.waitUntil(lambda: not made.active, timeout=_LIMIT_MS)


def _until(run: RunSession, qtbot, kind: type) -> None:
    qtbot.waitUntil(lambda: any(isinstance(document, kind) for document in run.heard), timeout=_LIMIT_MS)


def test_run_reports_its_story_in_order(run: RunSession, home: Path, qtbot):
    with qtbot.waitSignal(run.ended, timeout=_LIMIT_MS) as got:
        run.begin(spec_for(home))
    assert isinstance(run.heard[0], RunStarted)
    assert isinstance(run.heard[-1], RunStopped)
    assert got.args[0] is run.stopped
    assert run.stopped.outcome is RunOutcome.COMPLETED
    assert run.restored
    assert run.restore_report is None
    assert len([document for document in run.heard if isinstance(document, TrialDone)]) == 3
    assert run.run_id == run.heard[0].run_id
    assert not run.active


def test_pause_and_resume_reach_the_core(run: RunSession, home: Path, qtbot):
    run.begin(spec_for(home))
    _until(run, qtbot, TrialStarted)
    run.pause()
    qtbot.waitUntil(lambda: run.state is RunState.PAUSED, timeout=_LIMIT_MS)
    run.resume()
    with qtbot.waitSignal(run.ended, timeout=_LIMIT_MS):
        pass
    states = [document.state for document in run.heard if isinstance(document, StateChanged)]
    assert states.index(RunState.PAUSED) < len(states) - 1 - states[::-1].index(RunState.RUNNING)
    assert run.stopped.outcome is RunOutcome.COMPLETED


def test_abort_puts_the_host_back(run: RunSession, home: Path, qtbot):
    run.begin(spec_for(home, measure_s=600))
    _until(run, qtbot, TrialStarted)
    with qtbot.waitSignal(run.ended, timeout=_LIMIT_MS):
        run.abort()
    assert run.stopped.outcome is RunOutcome.ABORTED
    assert run.restored
    assert not list(places.journal_dir().glob("*.json"))


def test_killed_core_is_followed_by_the_outside_restore(run: RunSession, home: Path, qtbot):
    run.begin(spec_for(home, measure_s=600))
    _until(run, qtbot, TrialStarted)
    assert list(places.journal_dir().glob("*.json"))
    with qtbot.waitSignal(run.ended, timeout=_LIMIT_MS) as got:
        os.kill(run.core_pid, signal.SIGKILL)
    assert got.args[0] is run.heard[-1] is run.stopped
    assert (run.stopped.outcome, run.stopped.interrupted) == (RunOutcome.FAILED, True)
    assert run.stopped.reason == "interrupted at trial 1 of 3"
    assert run.stopped.restored_unix_s == run.restore_report.items[0].restored_unix_s > 0
    assert run.restored
    assert [document.state for document in run.heard if isinstance(document, StateChanged)][-1] is RunState.RESTORING
    assert [level for level, _, _ in run.told] == ["error", "warning"]
    assert not list(places.journal_dir().glob("*.json"))
    with RunStore(places.store_path(), read_only=True) as store:  # what is kept is what is said
        row, *_, word = store.run(run.run_id), *store.documents(run.run_id)
    assert msgspec.structs.replace(word, t_s=run.stopped.t_s) == run.stopped
    assert (row.outcome, row.restored, row.answer.interrupted) == (RunOutcome.FAILED, True, True)


def test_core_that_could_not_put_the_host_back_is_followed_by_the_outside_restore(run: RunSession, home: Path, qtbot):
    unwilling = f"fake:{home}/host.json?fail_writes_after=5"  # after those of the baseline, in the middle of a split
    with qtbot.waitSignal(run.ended, timeout=_LIMIT_MS):
        run.begin(msgspec.structs.replace(spec_for(home), host_url=unwilling))
    first, last = [document for document in run.heard if isinstance(document, RunStopped)]
    assert (first.outcome, first.restored) == (RunOutcome.FAILED, False)
    assert (last.restored, last.interrupted, last.reason) == (True, False, first.reason)
    assert last.restored_unix_s > 0
    assert run.restored
    assert run.told[-1][0] == "info"
    assert not list(places.journal_dir().glob("*.json"))


def test_damaged_record_of_another_host_does_not_make_this_one_changed(run: RunSession, home: Path, qtbot):
    places.journal_dir().mkdir(parents=True)
    (places.journal_dir() / "another.json").write_text("{", encoding="utf-8")
    run.begin(spec_for(home, measure_s=600))
    _until(run, qtbot, TrialStarted)
    with qtbot.waitSignal(run.ended, timeout=_LIMIT_MS):
        os.kill(run.core_pid, signal.SIGKILL)
    assert run.restore_report is not None
    assert not run.restore_report.clean
    assert run.restored
    assert run.told[-1][0] == "warning"


def test_host_that_another_sweep_holds_is_not_restored_from_outside(run: RunSession, home: Path, qtbot):
    host_id = f"fake-{(home / 'host.json').resolve()}"
    with HostLock(places.journal_dir(), host_id), qtbot.waitSignal(run.ended, timeout=_LIMIT_MS):
        run.begin(spec_for(home))
    assert (run.stopped.outcome, run.stopped.restored, run.stopped.busy) == (RunOutcome.FAILED, False, True)
    assert run.restore_report is None
    assert run.told == []
    with RunStore(places.store_path(), read_only=True) as store:
        assert store.runs() == []


def test_core_that_holds_still_is_ended_and_the_host_restored(run: RunSession, home: Path, qtbot, monkeypatch):
    run._silence.setInterval(1500)
    run._grace.setInterval(500)
    run.begin(spec_for(home, measure_s=600))
    _until(run, qtbot, TrialStarted)
    with qtbot.waitSignal(run.ended, timeout=_LIMIT_MS):
        os.kill(run.core_pid, signal.SIGSTOP)
    assert [level for level, _, _ in run.told] == ["warning", "error", "warning"]
    assert run.restored


def test_bad_host_ends_the_run_with_its_reason(run: RunSession, qtbot):
    spec = RunSpec(host_url="nowhere:", settings=(parse_split_setting("1:1"),), loads=(LoadSpec("osdb-ir"),))
    with qtbot.waitSignal(run.ended, timeout=_LIMIT_MS):
        run.begin(spec)
    assert run.stopped.outcome is RunOutcome.FAILED
    assert "nowhere:" in run.stopped.reason


def test_limits_are_those_of_the_design():
    assert (session_module.SILENCE_MS, session_module.GRACE_MS) == (15_000, 10_000)
    assert session_module.FAR_SILENCE_MS >= 1000 * (LOCK_WAIT_S + _CHANGE_S)  # no waiting core is taken for a dead one


def talking(monkeypatch, program: str) -> None:
    """Have a core that says what no core says; it ends when asked to."""
    monkeypatch.setattr("app.child_process.core_command", lambda *words: _either(words, program))


def _either(words: tuple[str, ...], program: str) -> list[str]:
    if words[0] == "core":
        return [sys.executable, "-c", f"import signal, sys, os, time\n{program}\nwhile True: time.sleep(1)"]
    return [sys.executable, "-m", "scheduler", *words]


def test_lines_that_are_no_documents_are_counted_reported_and_left_out(run: RunSession, home: Path, qtbot, caplog):
    run.begin(spec_for(home))
    _until(run, qtbot, RunStarted)
    refused = encode_line(run.heard[0]).replace(b'"osdb-ir"', b'"nothing-known"')  # by today's rules
    for line in (b"hello", b"\xff\xfe", b"[" * 100_000, b'{"$":"run_started","spec":{}}', refused):
        run._handle_line(line)
    assert [level for level, *_ in run.told] == ["warning"]
    assert "An unreadable line" in run.told[0][1]
    with qtbot.waitSignal(run.ended, timeout=_LIMIT_MS):
        pass
    assert run.told[-1][1].startswith("5 lines")
    assert run.stopped.outcome is RunOutcome.COMPLETED
    assert caplog.text.count("was not understood") == 1


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("for n in range(2_000): print('rubbish', flush=True)", "sent 1000 unreadable lines"),
        ("sys.stdout.write('x' * (9 << 20)); sys.stdout.flush()", "an over-long line"),
    ],
)
def test_core_out_of_its_mind_is_ended_with_words(run: RunSession, home: Path, qtbot, monkeypatch, program, words):
    talking(monkeypatch, program)
    with qtbot.waitSignal(run.ended, timeout=_LIMIT_MS):
        run.begin(spec_for(home))
    assert any(words in text for _, text, _ in run.told)
    assert not run._core.running
    assert run.restored  # from outside: there was nothing to put back


def test_stop_that_takes_long_reports_what_it_may_be_waiting_for(run: RunSession, home: Path, qtbot):
    run.begin(spec_for(home, measure_s=600))
    _until(run, qtbot, TrialStarted)
    run._aborting.setInterval(1000)
    run._grace.setInterval(500)
    os.kill(run.core_pid, signal.SIGSTOP)
    with qtbot.waitSignal(run.ended, timeout=_LIMIT_MS):
        run.abort()
    level, text, hint = run.told[0]
    assert level == "warning"
    assert "for 1 s" in text
    assert "users' statements or for the host" in hint
    assert run.restored
