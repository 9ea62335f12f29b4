"""Who keeps a CPU busy is named, so that one can close it."""

import os
import subprocess
import sys
import time

import pytest

from scheduler.hosts.local import cpu_load
from scheduler.hosts.local.cpu_load import ProcessSnapshot, ProgramLoad, foreign_frac, rank_programs
from scheduler.hosts.local.describe_computer import _describe_busiest, _suggest_remedy

_LIMIT_S = 30.0


@pytest.fixture
def spinning():
    """A program that takes what it can get of the first CPU we may use."""
    cpu = min(os.sched_getaffinity(0))
    child = subprocess.Popen([sys.executable, "-P", "-c", "while True: pass"])
    os.sched_setaffinity(child.pid, {cpu})
    yield cpu, child.pid
    child.kill()
    child.wait()


def test_program_that_takes_a_cpu_is_found(spinning):
    cpu, pid = spinning
    end_s = time.monotonic() + _LIMIT_S
    found: list[int] = []
    while pid not in found:
        assert time.monotonic() < end_s, found
        seen = cpu_load.measure_load(cpu, 0.2)
        found = [program.pid for program in seen.programs]
    assert seen.taken_frac > 0.1
    assert seen.busy_fracs[cpu] > 0.1
    assert os.getpid() not in found


def test_what_was_taken_since_the_first_look_counts_on_that_cpu_alone():
    before = {
        900001: ProcessSnapshot("old", 100.0, 0),
        900002: ProcessSnapshot("idle", 5.0, 0),
        900003: ProcessSnapshot("elsewhere", 1.0, 1),
    }
    after = {
        900001: ProcessSnapshot("old", 100.05, 0),
        900002: ProcessSnapshot("idle", 5.0, 0),
        900003: ProcessSnapshot("elsewhere", 1.2, 1),
        900004: ProcessSnapshot("new", 0.1, 0),
        os.getpid(): ProcessSnapshot("ourselves", 9.0, 0),
    }
    found = rank_programs(before, after, 0, 0.2)
    assert [program.name for program in found] == ["new", "old"]
    assert [round(program.taken_frac, 3) for program in found] == [0.5, 0.25]


def test_what_we_take_ourselves_is_not_reported_as_others():
    before = {os.getpid(): ProcessSnapshot("ourselves", 9.0, 0), 900001: ProcessSnapshot("old", 100.0, 0)}
    after = {os.getpid(): ProcessSnapshot("ourselves", 9.04, 0), 900001: ProcessSnapshot("old", 100.05, 0)}
    assert foreign_frac(0.45, before, after, 0, 0.2) == pytest.approx(0.25)
    assert foreign_frac(0.1, before, after, 0, 0.2) == 0.0  # ticks are whole hundredths of a second
    assert foreign_frac(0.45, before, {**after, os.getpid(): ProcessSnapshot("ourselves", 9.04, 1)}, 0, 0.2) == 0.45


def test_sentence_names_it_and_reports_what_to_do():
    stress = [ProgramLoad(0.25, "stress", 4711), ProgramLoad(0.1, "other", 1)]
    assert _describe_busiest(stress, 0.29) == ": stress (process 4711) 25 %"
    assert _suggest_remedy(stress).startswith("Close stress, or wait for its end: the results would be too low")
    assert _describe_busiest([], 0.29) == ""
    assert "Close what runs there" in _suggest_remedy([])
