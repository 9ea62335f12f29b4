"""Tests of the link to the windows: orders, lines for later windows, and the end of the last window."""

import io
import os
import queue
import stat
import threading
import time
from functools import partial
from pathlib import Path

import msgspec
import pytest

from scheduler.background_runs import SWEEP, attach_background_runs, listen_for_windows, socket_folder
from scheduler.model.bounded_json import MOST_LINE_BYTES
from scheduler.model.codec import AbortRun, BeginRun, DetachRun, PauseRun, ResumeRun, decode_detached, encode_line
from scheduler.model.documents import LoadSample
from scheduler.run import window_link
from scheduler.run.control import AbortRequested, MonotonicClock, PauseRequested, RunControl
from scheduler.run.window_link import LineHistory, WindowLink
from tests.unit.run.conftest import SPEC


def control_after(*lines: bytes) -> RunControl:
    """Return the control as it is when all lines were read and the window is still there."""
    control = RunControl(MonotonicClock())
    for line in lines:
        window_link.carry_out_order(line, control)
    return control


def control_of(orders: bytes) -> RunControl:
    """Return the control of a run whose only window has sent these orders and is gone."""
    control = RunControl(MonotonicClock())
    lines = partial(io.BytesIO(orders).readline, MOST_LINE_BYTES + 1)
    take, end = partial(window_link.carry_out_order, control=control), partial(control.abort, "the window is gone")
    with WindowLink(SWEEP) as link:
        link.listen(lines, take, end).join(30)
    return control


def detach(link: WindowLink, ended: threading.Event) -> None:
    """Let the run continue without its first window, which is then gone."""
    link.listen(iter([encode_line(DetachRun()), b""]).__next__, lambda _: None, ended.set).join(5)


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def ended() -> threading.Event:
    return threading.Event()


def test_buttons_are_obeyed():
    with pytest.raises(PauseRequested):
        control_after(encode_line(PauseRun())).check()
    control_after(encode_line(PauseRun()), encode_line(ResumeRun())).check()
    with pytest.raises(AbortRequested):
        control_after(encode_line(AbortRun())).check()


def test_line_which_is_no_order_is_logged_and_changes_nothing(caplog):
    control_after(b"hello\n", b'{"$":"pause","x":\n', encode_line(BeginRun(SPEC))).check()
    assert "not understood" in caplog.text


def test_second_beginning_that_is_wrong_leaves_the_buttons_working(caplog):
    wrong = encode_line(BeginRun(SPEC)).replace(b'"osdb-ir"', b'"tpcx"')
    control = control_of(wrong + encode_line(AbortRun()))
    with pytest.raises(AbortRequested, match="by the user"):
        control.check()
    assert "not understood" in caplog.text


@pytest.mark.parametrize(
    "strange",
    [b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"x" * (MOST_LINE_BYTES + 9) + b"\n"],
    ids=["bytes", "deep", "long"],
)
def test_line_of_any_kind_leaves_the_buttons_working(caplog, strange):
    control = control_of(strange + encode_line(AbortRun()))
    with pytest.raises(AbortRequested, match="by the user"):
        control.check()
    assert "not understood" in caplog.text


@pytest.mark.parametrize("first", [b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"x" * (MOST_LINE_BYTES + 9), b"\n"])
def test_first_line_of_any_kind_is_reported_to_be_none(first):
    with pytest.raises(msgspec.MsgspecError):
        window_link.read_begin(io.BytesIO(first))


def test_end_of_its_input_is_an_abort():
    control = control_of(b"")
    with pytest.raises(AbortRequested, match="window is gone"):
        control.check()


def test_first_line_must_begin_a_run():
    assert window_link.read_begin(io.BytesIO(encode_line(BeginRun(SPEC, {"a": "b"})))).spec == SPEC
    with pytest.raises(msgspec.ValidationError):
        window_link.read_begin(io.BytesIO(encode_line(PauseRun())))
    with pytest.raises(EOFError):
        window_link.read_begin(io.BytesIO(b""))


def test_beginning_never_shows_its_secrets():
    assert "hunter2" not in repr(BeginRun(SPEC, {"postgresql://x": "hunter2"}))


def test_later_window_gets_all_lines_from_the_first(home, ended):
    with WindowLink(SWEEP) as link:
        print("one", flush=True)
        detach(link, ended)
        (late,) = attach_background_runs()
        link.send(AbortRun())
        print("two", flush=True)
        assert stat.S_IMODE(next(socket_folder().iterdir()).stat().st_mode) == 0o600
    with late.stdout as lines:
        os.set_blocking(lines.fileno(), True)
        assert [line for line in lines if b"detached" not in line] == [b"one\n", encode_line(AbortRun()), b"two\n"]
    late.close_input()
    assert not ended.is_set()
    assert not list(socket_folder().iterdir())


def test_window_that_gives_no_more_orders_still_gets_the_last_line(ended, monkeypatch, capfd):
    write, busy = window_link._write_all, threading.Event()
    monkeypatch.setattr(window_link, "_write_all", lambda fd, data: (busy.wait(0.2), write(fd, data)))
    with WindowLink(SWEEP) as link:
        link.listen(lambda: b"", lambda _: None, ended.set).join(5)
        link.send(AbortRun())
    assert capfd.readouterr().out.encode() == encode_line(AbortRun())


def test_order_of_a_later_window_is_carried_out(home, ended):
    taken = queue.Queue()
    with WindowLink(SWEEP) as link:
        link.listen(iter([encode_line(DetachRun()), b""]).__next__, taken.put, ended.set).join(5)
        (late,) = attach_background_runs()
        assert late.pid == os.getpid()
        assert late.poll() is None
        late.write(encode_line(PauseRun()))
        assert taken.get(timeout=5) == encode_line(PauseRun())
        late.close_pipes()
        late.abandon()
    assert not ended.is_set()


def test_last_window_ends_a_run_that_was_not_detached(home, ended):
    with WindowLink(SWEEP) as link:
        link.listen(lambda: b"", lambda _: None, ended.set).join(5)
    assert ended.is_set()


def test_run_that_cannot_have_a_socket_reports_the_reason(home, ended, monkeypatch):
    (home / "state").mkdir(exist_ok=True)
    socket_folder().write_text("no folder")
    answers = []
    monkeypatch.setattr(window_link._Window, "answer", lambda _, line: answers.append(decode_detached(line)))
    with WindowLink(SWEEP) as link:
        detach(link, ended)
    assert answers[0].error
    assert ended.is_set()


def test_window_that_does_not_read_delays_nobody(home, ended, monkeypatch):
    monkeypatch.setattr(window_link, "_FLUSH_S", 0.05)
    begin_s = time.monotonic()
    with WindowLink(SWEEP) as link:
        detach(link, ended)
        (late,) = attach_background_runs()
        for _ in range(200):
            print("x" * 10_000, flush=True)
    assert time.monotonic() - begin_s < 5
    late.close_pipes()


def test_history_drops_the_oldest_samples_only():
    history = LineHistory(most_sample_bytes=250)
    samples = [encode_line(LoadSample(t_s=i, trial=0, load="x", settling=False, throughput_tps=1.0)) for i in range(9)]
    for line in (b"first\n", *samples[:5], b"middle\n", *samples[5:]):
        history.append(line)
    lines, place = history.read_from(0)
    kept = lines.splitlines(keepends=True)
    assert [line for line in kept if line not in samples] == [b"first\n", b"middle\n"]
    assert kept[-1] == samples[-1]
    assert len(b"".join(kept)) <= 250 + len(b"first\nmiddle\n")
    assert not history.has_lines(place)


def test_socket_of_a_killed_process_is_removed(home):
    folder = home / ("long" * 30)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOMTUNE_HOME", str(folder))
        listener, path = listen_for_windows(SWEEP)
        (program,) = attach_background_runs()
        assert program.kind == SWEEP
        program.close_pipes()
        program.abandon()
        listener.close()  # as when its process is killed: the file remains
        assert attach_background_runs() == []
        assert not path.exists()
