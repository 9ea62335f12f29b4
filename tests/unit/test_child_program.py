"""Child programs: bounded reading, time limits, and the ways to end."""

import os
import re
import threading
import time

import psutil
import pytest

from scheduler import children
from scheduler.children import DEVNULL, PIPE, ChildProgram, OutputTooLong, open_input, run_and_capture


@pytest.fixture
def start():
    started = []

    def start_shell(script, **streams):
        started.append(ChildProgram(["sh", "-c", script], children.environment_without_secrets(), **streams))
        return started[-1]

    yield start_shell
    for child in started:
        child.kill_and_close()


def wait_until(fine):
    end_s = time.monotonic() + 20
    while not fine():
        assert time.monotonic() < end_s
        threading.Event().wait(0.01)


def test_child_has_a_session_of_its_own(start):
    assert os.getsid(start("cat").pid) not in {os.getsid(0), 0}


def test_read_line_returns_whole_lines_only(start):
    child = start("printf 'one\\ntwo\\nrest'")
    assert [child.read_line(20) for _ in range(3)] == [b"one", b"two", None]


def test_read_line_of_a_silent_child_times_out(start):
    with pytest.raises(TimeoutError):
        start("printf begun; exec cat").read_line(0.05)


def test_read_line_without_output_returns_none(start):
    child = start("exec cat")
    child.close_pipes()
    assert child.read_line(20) is None


def test_read_line_refuses_an_endless_line(start, monkeypatch):
    monkeypatch.setattr(children, "MOST_BYTES", 1_000)
    with pytest.raises(OutputTooLong):
        start("while :; do printf '%0100d' 0; done").read_line(20)


def test_read_outputs_stops_at_patterns(start):
    child = start("echo out mark; echo err >&2; echo end >&2; exec cat", outputs=(PIPE, PIPE))
    ends = (re.compile(rb"mark\n$"), re.compile(rb"end\n$"))
    assert child.read_outputs(time.monotonic() + 20, ends) == ("out mark\n", "err\nend\n")


def test_write_reports_a_child_that_has_exited(start):
    child = start("exit 0")
    child.wait()
    assert not child.write(b"x")
    child.close_pipes()
    assert not child.write(b"x")


def test_write_sends_more_than_a_pipe_holds(start):
    child = start("wc -c")
    assert child.write(b"x" * 300_000)
    child.close_input()
    assert child.read_line(20) == b"300000"


def test_write_to_a_full_nonblocking_pipe_returns_false(start):
    child = start("sleep 60")
    os.set_blocking(child.stdin.fileno(), False)
    assert not child.write(b"x" * 300_000)


def test_end_kills_a_child_that_ignores_termination(start):
    child = start("trap '' TERM; echo; while :; do sleep 0.01; done")
    child.read_line(20)
    child.end(0.0, 0.01, 20.0)
    assert child.returncode == -9


def test_run_and_capture_returns_both_outputs(monkeypatch, tmp_path):
    monkeypatch.setenv("PGPASSWORD", "secret")
    script = 'cat; pwd >&2; printf "%s" "$PGPASSWORD"; exit 3'
    done = run_and_capture(["sh", "-c", script], 20, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"{tmp_path}\n")


def test_run_and_capture_replaces_bytes_that_are_no_text():
    assert run_and_capture(["printf", r"\377"], 20).stdout == "\N{REPLACEMENT CHARACTER}"


def test_run_and_capture_kills_the_group_at_the_limit(tmp_path):
    pid = tmp_path / "pid"
    with pytest.raises(TimeoutError, match=r"has not ended within 0\.3 s"):
        run_and_capture(["sh", "-c", f"sleep 60 & echo $! >{pid}; wait"], 0.3)
    wait_until(lambda: not psutil.pid_exists(int(pid.read_text())))


def test_run_and_capture_kills_a_program_with_endless_output(monkeypatch):
    monkeypatch.setattr(children, "MOST_BYTES", 1_000)
    with pytest.raises(OSError, match="longer than"):
        run_and_capture(["yes"], 20)


def test_open_input_gives_a_text_of_any_length():
    with open_input("x" * 300_000) as stdin:
        assert run_and_capture(["wc", "-c"], 20, stdin=stdin).stdout.strip() == "300000"
    with open_input("") as stdin:
        assert stdin == DEVNULL
