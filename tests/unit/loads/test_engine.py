"""Programs as users, whatever they do: real ones, each a line of shell."""

import contextlib
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scheduler.errors import LoadDied
from scheduler.loads.engines import program_engine as engines
from scheduler.loads.engines.program import ProgramJob
from scheduler.loads.engines.program_engine import ProgramEngine
from scheduler.loads.engines.program_script import LineFigures
from tests.contract.loads_contract import wait_until
from tests.killing import has_ended

STEADY = "while :; do echo did 10; sleep 0.1; done"
VICTIM = """
import sys
from tests.unit.loads.test_engine import STEADY, Shell
from scheduler.loads.engines.program_engine import ProgramEngine
engine = ProgramEngine(Shell(f"sleep 1000 & setsid sleep 1000 & {STEADY}"))
engine.connect()
print(*engine.pids, flush=True)
sys.stdin.read()
"""


class Shell:
    """A line of shell that prints `did N` now and then."""

    title = "the program"
    interval_s = 0.1
    asked = False
    hint = "Look at it."

    def __init__(self, text: str, *, first_s: float = 10.0, asked: int = 0, **more) -> None:
        self.first_s = first_s
        self.asked = bool(asked)
        self._job = ProgramJob(words=("/bin/sh", "-c", text), asked=asked, **more)

    def job(self):
        return self._job

    def lines(self, program):
        return Counting()

    def refused(self, said):
        return None


class Counting:
    def read(self, line, since_s):
        word, _, number = line.text.partition(" ")
        if word != "did" or not number.isdigit():
            return None
        return LineFigures(since_s, line.heard_s, float(number), times_ms={"p95": 2.5})

    def completed(self, told):
        return round(told)

    def close(self):
        self.closed = True


@contextlib.contextmanager
def running(text: str, **more):
    engine = ProgramEngine(Shell(text, **more))
    try:
        engine.connect()
        engine.go()
        yield engine
    finally:
        engine.end()


def died(text: str, **more) -> str:
    with pytest.raises(LoadDied) as raised, running(text, **more) as engine:
        wait_until(lambda: engine.poll() is None, "an error")
    assert raised.value.hint
    return str(raised.value)


def test_its_lines_become_whole_seconds_without_gaps_and_its_cpu_is_seen():
    with running(STEADY) as engine:
        first = math.ceil(time.monotonic())
        found = []
        wait_until(lambda: found.extend(engine.poll()) or len(found) >= 2, "two seconds")
        assert found[0].second <= first
        assert [second.second for second in found] == list(range(found[0].second, found[0].second + len(found)))
        assert all(second.count <= 120 for second in found)  # fewer where others take the CPU
        assert any(second.count for second in found)
        assert all(0.0 <= second.busiest_cpu_frac <= second.cpu_s for second in found)
        assert all(second.reported_ms == {"p95": 2.5} for second in found)
        totals = engine.stop()
        assert totals.tuples >= sum(second.count for second in found)
        assert totals.reported == totals.tuples


def test_poll_of_a_busy_program_reports_its_cpu_time():
    busy = "i=0; while :; do i=$((i+1)); [ $((i % 20000)) = 0 ] && echo did 1 && sleep 0.1; done"
    with running(busy) as engine:
        found = []
        wait_until(lambda: found.extend(engine.poll()) or found, "a second")
        assert found[0].busiest_cpu_frac > 0.02
        assert found[0].cpu_s <= 1.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "exec /no/such/program",
            r"ended before it printed any figures \(status 127\); its last output: .*/no/such/program",
        ),
        ("echo cannot connect >&2; exit 3", r"figures \(status 3\); its last output: cannot connect"),
        ("exit 0", r"ended before it printed any figures \(status 0\); it printed nothing"),
        ("kill -9 $$", r"ended before it printed any figures \(signal 9\)"),
        ("echo did 1; echo disk full; exit 2", r"ended (unexpectedly|before).*\(status 2\).*last output.*disk full"),
    ],
)
def test_program_that_ends_by_itself_reports_why(text, said):
    import re

    assert re.search(said, died(text))


@pytest.mark.parametrize("text", ["sleep 100", "head -c 3000 /dev/zero; echo; sleep 100", "echo did many; sleep 100"])
def test_program_without_figures_is_not_waited_for_without_end(text):
    assert "has printed no figures within 0.5 s" in died(text, first_s=0.5)


def test_overwritten_lines_are_read_like_others():
    with running("while :; do printf 'did 10\\r'; sleep 0.1; done") as engine:
        found = []
        wait_until(lambda: found.extend(engine.poll()) or found, "a second")


def test_program_without_line_ends_is_named_as_such():
    assert "it prints no line end behind 'did 1 did 2'" in died("printf 'did 1 did 2'; sleep 100", first_s=0.5)


def test_program_that_falls_silent_is_dead(monkeypatch):
    monkeypatch.setattr(engines, "_SILENT_S", 0.3)
    assert "has printed no figures for" in died("echo did 1; echo hm; sleep 100")


@pytest.mark.parametrize("text", ["echo did 1; yes", "echo did 1; tr '\\\\0' x < /dev/zero"])
def test_program_that_floods_is_dead_and_costs_no_memory(text):
    assert "prints more than 1,000 lines or 1 MiB a second" in died(text)


def test_what_it_prints_is_text_when_it_is_reported():
    assert "a b  c" not in died("printf 'a\\033[2Jb\\n'; exit 1")
    assert "\x1b" not in died("printf 'a\\033[2Jb\\n'; exit 1")


def test_program_that_cannot_be_started_reports_it():
    engine = ProgramEngine(Shell(""))
    engine._script._job = ProgramJob(words=("/no/such/program", "x"))
    with pytest.raises(LoadDied, match="/no/such/program cannot be started: No such file or directory"):
        engine.connect()
    engine.end()


def test_parking_ends_it_and_going_on_begins_again():
    with running("trap 'exit 0' USR1; " + STEADY, asked=signal.SIGUSR1) as engine:
        before = engine.pids
        engine.park()
        assert engine.poll() == []
        assert engine.pids == before[:1] or all(has_ended(pid) for pid in before[1:])
        engine.unpark()
        gone_on_s = time.monotonic()
        assert set(engine.pids).isdisjoint(before)
        found = []
        wait_until(lambda: found.extend(engine.poll()) or found, "a second")
        assert found[0].second <= math.ceil(gone_on_s)
        assert engine.stop().tuples >= 20


def test_nothing_of_it_outlives_its_end_however_it_hides():
    hiding = "trap '' INT TERM; (setsid sleep 1000 &) ; sleep 1000 & " + STEADY
    with running(hiding) as engine:
        pids = engine.pids
        assert len(pids) >= 4
        engine.end()
        wait_until(lambda: all(has_ended(pid) for pid in pids), "the end of all", 1.0)
        assert engine.pids == ()


def test_nothing_of_it_outlives_a_killed_parent():
    victim = subprocess.Popen([sys.executable, "-c", VICTIM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with victim:
        pids = [int(word) for word in victim.stdout.readline().split()]
        assert len(pids) >= 4
        victim.kill()
        wait_until(lambda: all(has_ended(pid) for pid in pids), "the end of all", 6.0)


def test_it_ends_with_its_warden():
    with running("echo did 1; exec sleep 1000") as engine:
        warden, program, *_ = engine.pids
        os.kill(warden, signal.SIGKILL)
        wait_until(lambda: has_ended(program), "its end")


@pytest.mark.parametrize("hide", ["setsid", "env -i setsid", "nohup env -i setsid"])
def test_command_that_kills_its_warden_leaves_nothing_behind(hide, tmp_path):
    """The daemon is an orphan by then: neither a child of ours nor in a group or an environment that we know."""
    pids = tmp_path / "pid"
    daemon = f"{hide} sh -c 'echo $$ > {pids}; exec sleep 1000' >/dev/null 2>&1 &"
    with running(f"{daemon} while ! [ -s {pids} ]; do :; done; echo did 1; kill -9 $PPID; sleep 1000") as engine:
        pid = int(pids.read_text())
        wait_until(lambda: engine._run.program.status is not None, "the warden's end")
        assert not has_ended(pid)
        engine.end()
        assert has_ended(pid)


def test_it_holds_no_password_in_sight_and_stays_on_its_cpus(monkeypatch):
    monkeypatch.setenv("PGPASSWORD", "of somebody else")
    last = max(os.sched_getaffinity(0))
    show = "cat $PGPASSFILE; stat -L -c %a $PGPASSFILE; " + STEADY
    with running(show, password_file="*:*:*:*:top secret\n", cpus=(last,)) as engine:
        assert "*:*:*:*:top secret / 600" in engine._run.program.last_words
        for pid in engine.pids:
            seen = Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
            assert b"top secret" not in seen
            assert b"somebody else" not in seen
            assert os.sched_getaffinity(pid) == {last}
