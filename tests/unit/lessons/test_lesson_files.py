"""Lessons as files: the shipped ones, and folders with mistakes."""

import os
import shutil

import pytest

from scheduler.errors import SpecError
from scheduler.lessons.lesson_files import build_lesson_plan, check_prediction, lessons_folder, read_lessons
from scheduler.model.lesson_entry import LessonEntry, student_seed
from scheduler.model.plan_file import parse_plan, write_plan


@pytest.fixture
def folder(tmp_path):
    """Return a folder with two shipped lessons."""
    for name in ("1-who-starves", "5-how-many-users"):
        shutil.copytree(lessons_folder() / name, tmp_path / name)
    return tmp_path


def test_shipped_lessons_are_six_simulated_and_two_on_this_computer():
    found = read_lessons()
    assert not found.broken
    hosts = [lesson.plan.host_url.partition("?")[0] for lesson in found.lessons]
    assert hosts == ["sim:"] * 6 + ["local:"] * 2
    assert [lesson.name[0] for lesson in found.lessons] == list("12345678")


@pytest.mark.parametrize(
    ("file", "body", "said"),
    [
        ("plan.toml", b'host = "sim:"\nsplits = ["1:0"]\n', "splits"),
        ("plan.toml", b'host = "xl+ssh://root@h"\n[[load]]\nkind = "osdb-ir"\n', "which lessons do not use"),
        ("plan.toml", b'host = "sim:/etc/passwd"\n[[load]]\nkind = "osdb-ir"\n', "which lessons do not use"),
        ("lesson.toml", b'title = "x"\n', "lesson.toml"),
        ("lesson.toml", b"a = " + b"[" * 9000, "lesson.toml"),
        ("text.md", b"\xff\xfe", "text.md"),
        ("sheet.md", b"x" * 70_000, "larger than 64 KiB"),
        ("sheet.md", None, "sheet.md"),
    ],
)
def test_lesson_with_a_mistake_is_named_and_the_others_open(folder, file, body, said):
    path = folder / "1-who-starves" / file
    path.unlink()
    if body is not None:
        path.write_bytes(body)
    found = read_lessons(folder)
    assert [lesson.name for lesson in found.lessons] == ["5-how-many-users"]
    assert [broken.name for broken in found.broken] == ["1-who-starves"]
    assert said in found.broken[0].error
    with pytest.raises(SpecError, match="1-who-starves cannot be used"):
        found.find("1")


def test_lesson_of_a_pipe_is_refused_without_waiting(folder):
    (folder / "1-who-starves" / "text.md").unlink()
    os.mkfifo(folder / "1-who-starves" / "text.md")
    assert "text.md" in read_lessons(folder).broken[0].error


def test_prediction_of_another_kind_is_refused_with_the_choices():
    found = read_lessons()
    assert check_prediction(found.find("1"), " 2:4 ") == "1:2"
    assert check_prediction(found.find("5"), "8") == "8"
    assert check_prediction(found.find("8"), "12.5%") == "12.5 %"
    for name, text in (("1", "1:3"), ("1", "much"), ("5", "0"), ("5", "17"), ("8", "101"), ("8", "nan")):
        with pytest.raises(SpecError):
            check_prediction(found.find(name), text)


def test_plan_of_a_student_has_seed_and_prediction_and_survives_a_plan_file():
    spec = build_lesson_plan(read_lessons().find("1"), "  Ana \u00c5  Silva", "1:1")
    assert spec.lesson == LessonEntry("1-who-starves", "Ana \u00c5 Silva", "1:1")
    assert spec.seed == student_seed("ana A\u030a silva") != student_seed("Ben")
    assert not spec.history
    assert parse_plan(write_plan(spec)) == spec
    with pytest.raises(SpecError, match="needs a name"):
        build_lesson_plan(read_lessons().find("1"), " ", "1:1")


@pytest.mark.parametrize("entry", [("", "Ana", ""), ("x", "a\nb", ""), ("x", "a" * 61, ""), ("x", "a", "\x1b[2J")])
def test_lesson_entry_refuses_texts_that_no_lesson_writes(entry):
    with pytest.raises(SpecError):
        LessonEntry(*entry)
