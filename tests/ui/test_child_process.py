import os
import signal
import sys
import threading
import time

import pytest
import shiboken6
from PySide6.QtCore import QObject

from app.child_process import ChildProcess
from app.core_process import NO_EXIT_CODE, CommandRunner
from app.pipes import BUDGET_S, LineReader
from app.theme.theme import Theme
from app.widgets.message_bar import MessageBar
from scheduler.errors import SchedulerError
from scheduler.model.bounded_json import MOST_LINE_BYTES
from scheduler.model.command_answers import HostProbe, RestoreResult


@pytest.fixture
def pipe():
    read_fd, write_fd = os.pipe()
    reader, writer = os.fdopen(read_fd, "rb", 0), os.fdopen(write_fd, "wb", 0)
    yield reader, writer
    for end in (reader, writer):
        end.close()


def test_lines_arrive_whole_however_they_were_cut(pipe, qtbot):
    reader, writer = pipe
    lines: list[bytes] = []
    heard = LineReader(reader, lines.append)
    with qtbot.waitSignal(heard.ended, timeout=30_000):
        for part in (b"on", b"e\ntw", b"o\n", b"three\nfo", b"ur"):
            writer.write(part)
            qtbot.wait(1)
        writer.close()
    assert lines == [b"one", b"two", b"three", b"four"]


def test_long_line_costs_what_it_is_long(pipe, qtbot):
    """Each piece joined to all before it would take a hundred times as long for ten times the line."""
    reader, writer = pipe
    lines: list[bytes] = []
    heard = LineReader(reader, lines.append)

    def cpu_s(size: int) -> float:
        begun_s = time.process_time()
        for _ in range(size // 4096):
            heard._accept_chunk(b"x" * 4096)
        heard._accept_chunk(b"\n")
        return time.process_time() - begun_s

    cpu_s(MOST_LINE_BYTES // 2)  # warm
    assert cpu_s(MOST_LINE_BYTES // 2) < 0.5
    writer.close()
    with qtbot.waitSignal(heard.ended, timeout=30_000):
        pass
    assert [len(line) for line in lines] == [MOST_LINE_BYTES // 2] * 2


def test_line_without_an_end_is_not_read_for_ever(pipe, qtbot):
    reader, writer = pipe
    lines: list[bytes] = []
    heard = LineReader(reader, lines.append)
    wrote: list[str] = []

    def write() -> None:
        try:
            writer.write(b"one\n")
            for _ in range(64):
                writer.write(b"x" * (1 << 20))
        except BrokenPipeError:
            wrote.append("cut")

    talking = threading.Thread(target=write)
    with qtbot.waitSignal(heard.flooded, timeout=60_000):
        talking.start()
    talking.join(30)
    assert lines == [b"one"]
    assert wrote == ["cut"]


def answering(monkeypatch, program: str) -> None:
    monkeypatch.setattr("app.child_process.core_command", lambda *_: [sys.executable, "-c", program])


@pytest.mark.parametrize("at_once", [False, True])
def test_answer_without_an_end_ends_the_command_with_words(monkeypatch, qtbot, at_once):
    """At once: a closed pipe ends the command before we hear of the flood."""
    answering(monkeypatch, "import sys\nwhile True: sys.stdout.write('x' * (1 << 20))")
    if at_once:
        waits_for_exit = ChildProcess._wait_for_exit
        monkeypatch.setattr(
            ChildProcess, "_wait_for_exit", lambda child: (child._process.wait(), waits_for_exit(child))
        )
    runner = CommandRunner()
    asked = runner.run_once(["probe", "xl:"])
    with qtbot.waitSignal(asked.finished, timeout=60_000) as got:
        pass
    assert got.args[1] == NO_EXIT_CODE
    with pytest.raises(SchedulerError, match="the answer is too long"):
        asked.read(HostProbe)


def test_end_between_two_looks_is_reported(monkeypatch, qtbot):
    answering(monkeypatch, "print('done')")
    child = ChildProcess(["probe"])
    looks = []

    def looked():
        looks.append(None)
        return None if len(looks) == 1 else child._process.wait()

    child._process.poll = looked
    with qtbot.waitSignal(child.ended, timeout=20_000) as got:
        pass
    assert got.args == [0]


@pytest.mark.parametrize("told", ["'\\xff'.encode('latin-1')", "b'[' * 100_000", "b'\\xff\\xfe{}'"])
def test_answer_that_is_none_is_an_error_and_no_traceback(monkeypatch, qtbot, told):
    answering(monkeypatch, f"import os\nos.write(1, {told})")
    runner = CommandRunner()
    asked = runner.run_once(["probe", "xl:"])
    with qtbot.waitSignal(asked.finished, timeout=20_000):
        pass
    with pytest.raises(SchedulerError, match="unreadable answer"):
        asked.read(HostProbe)


def test_flood_is_taken_in_slices(pipe, qtbot):
    reader, writer = pipe
    slices: dict[int, int] = {}
    turn = 0

    def take(line: bytes) -> None:
        slices[turn] = slices.get(turn, 0) + 1
        until_s = time.perf_counter() + 0.0005
        while time.perf_counter() < until_s:
            pass

    heard = LineReader(reader, take)
    deliver = heard._deliver_lines

    def count() -> None:
        nonlocal turn
        turn += 1
        deliver()

    heard._later.timeout.disconnect()
    heard._later.timeout.connect(count)
    with qtbot.waitSignal(heard.ended, timeout=10_000):
        writer.write(b"x\n" * 200)
        writer.close()
    assert sum(slices.values()) == 200
    assert max(slices.values()) <= BUDGET_S / 0.0005 + 1


def test_command_ends_when_its_process_does_the_one_that_else_holds_its_output(qtbot, monkeypatch):
    monkeypatch.setattr(
        "app.child_process.core_command", lambda *words: ["sh", "-c", "echo one; sleep 60 & printf two; exit 3"]
    )
    child = ChildProcess([])
    lines: list[bytes] = []
    child.line.connect(lines.append)
    try:
        with qtbot.waitSignal(child.ended, timeout=30_000) as got:
            pass
    finally:
        os.killpg(child.pid, signal.SIGKILL)
    assert got.args == [3]
    assert lines == [b"one", b"two"]


def test_command_answers_with_an_object(qtbot):
    runner = CommandRunner()
    asked = runner.run_once(["restore", "--list", "--json"])
    with qtbot.waitSignal(asked.finished, timeout=20_000) as got:
        pass
    assert got.args[1] == 0
    assert asked.read(RestoreResult).clean


def test_answer_about_a_bad_host_is_still_an_answer(qtbot):
    runner = CommandRunner()
    asked = runner.run_once(["probe", "nowhere:", "--json"])
    with qtbot.waitSignal(asked.finished, timeout=20_000) as got:
        pass
    assert got.args[1] == 2
    assert "nowhere:" in asked.read(HostProbe).error


def test_no_answer_is_an_error_with_the_words_of_the_command(qtbot):
    runner = CommandRunner()
    asked = runner.run_once(["no-such-word"])
    with qtbot.waitSignal(asked.finished, timeout=20_000):
        pass
    with pytest.raises(SchedulerError, match="no-such-word"):
        asked.read(HostProbe)


def test_command_that_breaks_down_is_reported_in_one_line_with_the_rest_as_details(theme: Theme, monkeypatch, qtbot):
    monkeypatch.setattr(
        "app.child_process.core_command", lambda *_: [sys.executable, "-c", "import json\njson.loads('{')"]
    )
    runner = CommandRunner()
    asked = runner.run_once(["apply"])
    with qtbot.waitSignal(asked.finished, timeout=20_000):
        pass
    with pytest.raises(SchedulerError) as caught:
        asked.read(HostProbe)
    assert "\n" not in str(caught.value)
    assert "JSONDecodeError" in str(caught.value)
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    bar.show_error(caught.value)
    assert "Traceback" not in bar.text.text() + bar.hint.text()
    assert bar.details.toPlainText().startswith("Traceback")


def test_cancelled_command_ends(qtbot):
    runner = CommandRunner()
    asked = runner.run_once(["core"])  # waits for its first line as long as its input is open
    with qtbot.waitSignal(asked.finished, timeout=20_000) as got:
        asked.cancel()
    assert got.args[1] == NO_EXIT_CODE
    assert asked.problem == "cancelled"


def test_command_that_takes_too_long_is_ended(qtbot, home):
    plan = home / "plan.toml"
    plan.write_text(f'host = "fake:{home}/host.json"\nsplits = ["1:1"]\n', encoding="utf-8")
    runner = CommandRunner()
    asked = runner.run_once(["run", str(plan), "--json", "--quiet"], timeout_s=3.0)
    with qtbot.waitSignal(asked.finished, timeout=20_000) as got:
        pass
    assert got.args[1] == NO_EXIT_CODE
    assert asked.problem == "no answer within 3 s"


def test_child_whose_owner_is_deleted_while_it_ends_leaves_nothing_open(qtbot):
    owner = QObject()
    child = ChildProcess(["core"], owner)
    child.close_input()
    shiboken6.delete(owner)  # before its end is told: nobody can let it go any more
    process = child._process
    assert child._errors.closed
    assert process.stdin.closed
    assert process.stdout.closed
    qtbot.waitUntil(lambda: process.poll() is not None)
