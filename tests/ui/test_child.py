import os
import sys
import time

import pytest

from app.core_process import NO_EXIT_CODE, Runner
from app.pipes import BUDGET_S, LineReader
from app.theme.theme import Theme
from app.widgets.message_bar import MessageBar
from scheduler.errors import SchedulerError
from scheduler.model.probe import Probe, Restored


@pytest.fixture
def pipe():
    read_fd, write_fd = os.pipe()
    reader, writer = os.fdopen(read_fd, "rb", 0), os.fdopen(write_fd, "wb", 0)
    yield reader, writer
    for end in (reader, writer):
        end.close()


def test_that_lines_arrive_whole_however_they_were_cut(pipe, qtbot):
    reader, writer = pipe
    lines: list[bytes] = []
    heard = LineReader(reader, lines.append)
    with qtbot.waitSignal(heard.ended, timeout=30_000):
        for part in (b"on", b"e\ntw", b"o\n", b"three\nfo", b"ur"):
            writer.write(part)
            qtbot.wait(1)
        writer.close()
    assert lines == [b"one", b"two", b"three", b"four"]


def test_that_a_flood_is_taken_in_slices(pipe, qtbot):
    reader, writer = pipe
    slices: dict[int, int] = {}
    turn = 0

    def take(line: bytes) -> None:
        slices[turn] = slices.get(turn, 0) + 1
        until_s = time.perf_counter() + 0.0005
        while time.perf_counter() < until_s:
            pass

    heard = LineReader(reader, take)
    deliver = heard._deliver

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


def test_that_a_command_answers_with_an_object(qtbot):
    runner = Runner()
    asked = runner.run_once(["restore", "--list", "--json"])
    with qtbot.waitSignal(asked.finished, timeout=20_000) as got:
        pass
    assert got.args[1] == 0
    assert asked.read(Restored).clean


def test_that_an_answer_about_a_bad_host_is_still_an_answer(qtbot):
    runner = Runner()
    asked = runner.run_once(["probe", "nowhere:", "--json"])
    with qtbot.waitSignal(asked.finished, timeout=20_000) as got:
        pass
    assert got.args[1] == 2
    assert "nowhere:" in asked.read(Probe).error


def test_that_no_answer_is_an_error_with_the_words_of_the_command(qtbot):
    runner = Runner()
    asked = runner.run_once(["no-such-word"])
    with qtbot.waitSignal(asked.finished, timeout=20_000):
        pass
    with pytest.raises(SchedulerError, match="no-such-word"):
        asked.read(Probe)


def test_that_a_command_that_breaks_down_is_told_in_one_line_with_the_rest_as_details(theme: Theme, monkeypatch, qtbot):
    monkeypatch.setattr("app.child.command", lambda *_: [sys.executable, "-c", "import json\njson.loads('{')"])
    runner = Runner()
    asked = runner.run_once(["apply"])
    with qtbot.waitSignal(asked.finished, timeout=20_000):
        pass
    with pytest.raises(SchedulerError) as caught:
        asked.read(Probe)
    assert "\n" not in str(caught.value)
    assert "JSONDecodeError" in str(caught.value)
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    bar.say_error(caught.value)
    assert "Traceback" not in bar.text.text() + bar.hint.text()
    assert bar.details.toPlainText().startswith("Traceback")


def test_that_a_cancelled_command_ends(qtbot):
    runner = Runner()
    asked = runner.run_once(["core"])  # waits for its first line as long as its input is open
    with qtbot.waitSignal(asked.finished, timeout=20_000) as got:
        asked.cancel()
    assert got.args[1] == NO_EXIT_CODE
    assert asked.problem == "cancelled"


def test_that_a_command_that_takes_too_long_is_ended(qtbot, home):
    plan = home / "plan.toml"
    plan.write_text(f'host = "fake:{home}/host.json"\nsplits = ["1:1"]\n', encoding="utf-8")
    runner = Runner()
    asked = runner.run_once(["run", str(plan), "--json", "--quiet"], timeout_s=3.0)
    with qtbot.waitSignal(asked.finished, timeout=20_000) as got:
        pass
    assert got.args[1] == NO_EXIT_CODE
    assert asked.problem == "no answer within 3 s"
