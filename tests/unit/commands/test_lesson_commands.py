"""`domtune lesson` and `domtune class`: predict, measure, check, collect."""

import csv
import io

import pytest

from scheduler.commands.exit_codes import ExitCode
from scheduler.lessons.class_collection import CSV_HEADER

_PLAN = """
host = "sim:"
splits = ["1:5", "1:2"]
protocol = "grid"
repeats = 2
measure_s = 10
settle_s = 5

[[load]]
kind = "osdb-ir"
users = 5

[objective]
purpose = "divide"
"""


@pytest.fixture
def lessons(home):
    """Return a folder with a short lesson and a broken one."""
    for name, plan in (("1-short", _PLAN), ("2-broken", "host = 1")):
        folder = home / "lessons" / name
        folder.mkdir(parents=True)
        (folder / "plan.toml").write_text(plan)
        (folder / "text.md").write_text("# Text")
        (folder / "sheet.md").write_text("## Answer sheet")
        head = "title = 'Short'\nsummary = 's'\nminutes = 1\nquestion = 'Which?'\npredict = 'split'\n"
        (folder / "lesson.toml").write_text(head)
    return str(home / "lessons")


def test_lesson_list_names_the_broken_lesson_and_shows_the_other(call, lessons):
    listed = call("lesson", "list", "--from", lessons)
    assert listed.code == ExitCode.BAD_INPUT
    assert "1-short" in listed.out
    assert "2-broken cannot be used: " in listed.out
    assert "Choices: 1:5, 1:2" in call("lesson", "show", "1", "--from", lessons).out


def test_lesson_needs_the_prediction_before_the_measurement(call, lessons):
    refused = call("lesson", "run", "1", "--student", "Ana", "--from", lessons)
    assert refused.code == ExitCode.BAD_INPUT
    assert "prediction before the measurement" in refused.err
    assert "No runs yet" in call("runs").out


def test_class_of_two_students_and_two_broken_files_becomes_one_table(call, lessons, home):
    for student, split in (("Ana", "1:5"), ("=SUM(A1)", "1:2")):
        out = str(home / f"answer-{split[-1]}")
        words = ("--student", student, "--predict", split, "--from", lessons, "--out", out, "--quiet")
        done = call("lesson", "run", "1", *words)
        assert done.code == ExitCode.DONE, done.err
        assert f"You predicted {split}, you measured 1:2" in done.out
        assert "and the truth is 1:2." in done.out
    assert (
        "1:5 loses 62 % against 1:2." in call("lesson", "check", "last", "--from", lessons).out or "right" in done.out
    )
    good = [home / "answer-5.domtune", home / "answer-2.domtune"]
    (home / "cut.domtune").write_bytes(good[0].read_bytes()[:-30])
    (home / "text.domtune").write_text("not a run")
    files = [*map(str, good), str(home / "cut.domtune"), str(home / "text.domtune"), str(good[0])]
    collected = call("class", "collect", *files, "--csv", str(home / "class.csv"))
    assert collected.code == ExitCode.BAD_INPUT
    assert "1-short: 2 answers" in collected.out
    assert "cut.domtune was not opened" in collected.out
    assert "text.domtune was not opened" in collected.out
    assert "the same run as another file, counted once" in collected.out
    assert "2 collected, 2 refused" in collected.out
    assert "measured   ############################## 2" in collected.out
    rows = list(csv.reader(io.StringIO((home / "class.csv").read_text())))
    assert tuple(rows[0]) == CSV_HEADER
    assert sorted(row[2] for row in rows[1:]) == ["'=SUM(A1)", "Ana"]
    assert {row[6] for row in rows[1:]} == {"1:2"}


def test_run_file_of_no_lesson_is_named(call, plan, home):
    call("run", plan(), "--quiet")
    call("export", "last", "--to", "file", "--out", str(home / "sent"))
    assert "sent.domtune is no answer of a lesson" in call("class", "collect", str(home / "sent.domtune")).out
