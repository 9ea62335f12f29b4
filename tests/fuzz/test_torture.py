"""The report of `make torture`: each failure is counted and named with the seed that repeats it."""

import datetime

from tests import torture
from tests.fuzz import running


def test_torture_report_names_failures_with_their_seeds(monkeypatch):
    printed = '{"target": "x", "seed": 7, "error": "KeyError: 1", "place": "a.py:1"}\n{"cases": 10, "found": 1}\n'
    monkeypatch.setattr(torture, "_run", lambda words, env: printed)
    found = torture.fuzz("lines", 0, 10)
    text = torture.report([found], datetime.date(2026, 11, 27))
    assert "| fuzz: lines | 0 | 10 | 9 | 1 |" in text
    assert "`python -m tests.fuzz lines 7 1`: KeyError: 1" in text


def test_torture_counts_cases_that_did_not_run(monkeypatch):
    monkeypatch.setattr(torture, "_run", lambda words, env: "Killed\n")
    found = torture.fuzz("lines", 0, 10)
    assert found.fine < found.tried
    assert "10 cases did not run" in found.failures[0]


def test_torture_counts_kills_and_keeps_lines_of_failures(monkeypatch):
    fine, bad = "   0 core   1.00 s armed     as found", "   1 both   2.00 s armed     left running: 7"
    printed = f"{fine}\n{bad}\n1 of 2 as found; 2 still ran\n"
    monkeypatch.setattr(torture, "_run", lambda words, env: printed)
    sweep = next(torture.kills(4, 1))
    assert (sweep.tried, sweep.fine) == (2, 1)
    assert sweep.failures[0] == bad
    assert fine not in sweep.failures


def test_day_seeds_leave_room_for_all_cases_of_a_day():
    days = [datetime.date(2026, 11, day) for day in (27, 28)]
    seeds = [torture.day_seed(day) for day in days]
    assert seeds[1] - seeds[0] >= 100_000
    assert set(running.GROUPS) >= {"toolstacks", "hypervisors", "loads", "databases"}
