"""The own command's pattern is matched where it can be given up: no plan's holds the core, or the window."""

import json
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.children import python_module
from scheduler.errors import LoadDied, SpecError
from scheduler.loads.command.command_engine import CommandScript
from scheduler.loads.command.line_figures import PatternMatch
from scheduler.loads.command.pattern_preview import preview_text
from scheduler.loads.command.rate_reader import LONGEST_LINE, PatternMatcher
from scheduler.loads.engines.program_engine import ProgramEngine
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.pattern_preview import MOST_LINES, PatternRequest

FOR_EVER = [(r"(?P<rate>(o+)+)Z", "o" * 64), (r"(?P<count>(a|aa)+)$", "a" * 99 + "b")]
STILL_S = 30.0  # a limit in CPU time: a busy computer gives it out slowly


@pytest.fixture(scope="module")
def matcher():
    made = PatternMatcher("(?P<rate>[0-9]+) of (?P<errors>.*)")
    yield made
    made.close()


def test_groups_come_back_as_the_line_has_them(matcher):
    assert matcher.find("so 12 of 3 \u20ac \"'\\").groups == {"rate": "12", "errors": "3 \u20ac \"'\\"}
    assert matcher.find("so 12 of 3") == PatternMatch(
        {"rate": "12", "errors": "3"}, {"rate": (3, 5), "errors": (9, 10)}, (3, 10)
    )
    assert matcher.find("nothing") is None
    assert matcher.find("7 of \ud800").groups == {"rate": "7", "errors": "?"}


@given(line=st.text(st.characters(blacklist_categories=["Cs"]), max_size=50))
def test_whatever_a_line_holds_has_an_answer_of_its_own(matcher, line):
    assert matcher.find(f"1 of {line}").groups == {"rate": "1", "errors": line.partition("\n")[0]}


def test_no_more_of_a_line_is_looked_at_than_is_allowed(matcher):
    assert matcher.find("x" * LONGEST_LINE + "1 of 2") is None


@pytest.mark.parametrize(("pattern", "line"), FOR_EVER)
def test_pattern_that_takes_for_ever_is_given_up_and_its_process_is_gone(pattern, line):
    matcher = PatternMatcher(pattern)
    pid = matcher.pid
    began_s = time.monotonic()
    with pytest.raises(LoadDied, match=r"takes more than 0.25 s of CPU for the line '(o|a)") as refused:
        matcher.find(line)
    assert time.monotonic() - began_s < STILL_S
    assert refused.value.hint
    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(LoadDied):
        matcher.find("")
    matcher.close()


def test_one_whose_owner_is_gone_ends_even_in_the_middle_of_a_line():
    pattern, line = FOR_EVER[0]
    child = subprocess.Popen(python_module("scheduler.loads.command.matcher"), stdin=subprocess.PIPE)
    child.communicate(f"{json.dumps(pattern)}\n{json.dumps(line)}\n".encode(), STILL_S)
    assert child.returncode < 0


def test_load_with_such_a_pattern_dies_with_its_reason():
    default = {each.name: each.default for each in LOAD_KINDS["command"].parameters}
    given = {**default, "command": f"sh -c 'echo {FOR_EVER[0][1]}; sleep 60'", "pattern": FOR_EVER[0][0]}
    engine = ProgramEngine(CommandScript(BeginOrder({}, "command", 0, 1, 0, (), given), 1))
    try:
        with pytest.raises(LoadDied, match=r"takes more than 0.25 s of CPU"):
            engine.connect()
    finally:
        engine.end()


def test_text_is_understood_line_by_line():
    text = "starting\nprogress: 1 s, 99.5 tps, lat 2.5 ms, 3 failed\n\x1b[2J\n"
    pattern = r"(?P<rate>[0-9.]+) tps, lat (?P<latency_ms>[0-9.]+) ms, (?P<errors>[0-9]+)"
    answer = preview_text(PatternRequest(pattern=pattern, text=text, unit="requests/s"))
    assert [(line.figure, line.errors, line.times_ms) for line in answer.lines] == [
        (None, 0, {}),
        (99.5, 3, {"latency": 2.5}),
        (None, 0, {}),
    ]
    assert (len(answer.counted), answer.unit, answer.lines[2].text) == (1, "requests/s", "[2J")
    assert len(preview_text(PatternRequest(pattern=pattern, text="x\n" * 2 * MOST_LINES)).lines) == MOST_LINES
    with pytest.raises(SpecError, match="is no pattern"):
        preview_text(PatternRequest(pattern="(", text=text))
