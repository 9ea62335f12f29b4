"""Lessons as files: one folder per lesson, read within limits.

A folder has `lesson.toml` (title, question, minutes, kind of the prediction), `text.md`, `plan.toml` and the answer
sheet, `sheet.md`. A folder with a mistake is named with its reason, and stops no other.
"""

import os
import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import parse_qsl

import msgspec

from scheduler.errors import SpecError
from scheduler.files import open_regular
from scheduler.model.lesson_entry import (
    LONGEST_LESSON,
    LONGEST_PREDICTION,
    LONGEST_STUDENT,
    LessonEntry,
    student_seed,
)
from scheduler.model.number_parsing import parse_decimal, parse_whole_number
from scheduler.model.plan_file import parse_plan
from scheduler.model.spec import RunSpec
from scheduler.model.split import parse_split
from scheduler.model.studies import CAPACITY, ISOLATION
from scheduler.model.text_decoding import decode_text
from scheduler.translation import _

PredictionKind = Literal["split", "users", "percent"]
"""Kind of a lesson's prediction: one of the plan's splits, a number of users, or a loss in percent."""

SIMULATED_KEYS = frozenset({"scheduler", "noise", "seed"})
"""Keys in the URL of a lesson's simulated host: without noise, its rates are known."""

MOST_LESSONS = 64
"""Largest number of folders that are read as lessons."""

_MOST_BYTES = 1 << 16  # of each file; a text of ten pages
_HEAD, _TEXT, _PLAN, _SHEET = "lesson.toml", "text.md", "plan.toml", "sheet.md"
_NAME = re.compile(rf"[a-z0-9][a-z0-9-]{{0,{LONGEST_LESSON - 1}}}")
_OF_STUDY = {CAPACITY: "users", ISOLATION: "percent"}
_Line = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]


class LessonHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of `lesson.toml`.

    Attributes:
        title: Title of the lesson.
        summary: One sentence about the subject, for the list.
        minutes: Minutes that a student needs, 1..90.
        question: Question that the student answers before the measurement.
        predict: Kind of the prediction.
    """

    title: _Line
    summary: _Line
    minutes: Annotated[int, msgspec.Meta(ge=1, le=90)]
    question: _Line
    predict: PredictionKind


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """One lesson.

    Attributes:
        name: Name of its folder.
        head: Title, question and kind of the prediction.
        text: Text before the measurement, in Markdown.
        plan: Plan of the measurement, without a student.
        sheet: Answer sheet, in Markdown, for after the measurement.
    """

    name: str
    head: LessonHead
    text: str
    plan: RunSpec
    sheet: str

    @property
    def choices(self) -> tuple[str, ...]:
        """Splits that a student can predict; empty for a number."""
        return tuple(split.label for split in self.plan.splits) if self.head.predict == "split" else ()

    @property
    def most_users(self) -> int:
        """Largest number of users that the plan tries."""
        return max(load.users for load in self.plan.loads)


class BrokenLesson(msgspec.Struct, frozen=True):
    """Folder that cannot be used as a lesson.

    Attributes:
        name: Name of the folder.
        error: The reason, with the file.
        hint: Advice; may be empty.
    """

    name: str
    error: str
    hint: str = ""


class LessonCatalogue(msgspec.Struct, frozen=True):
    """All lessons of a folder, in the order of their names.

    Attributes:
        lessons: The lessons.
        broken: Folders with a mistake.
    """

    lessons: tuple[Lesson, ...]
    broken: tuple[BrokenLesson, ...] = ()

    def find(self, name: str) -> Lesson:
        """Return a lesson by its name, or by the number at the start of its name.

        Raises:
            SpecError: There is no such lesson, or it has a mistake.
        """
        for lesson in self.lessons:
            if name in (lesson.name, lesson.name.partition("-")[0]):
                return lesson
        for broken in self.broken:
            if name in (broken.name, broken.name.partition("-")[0]):
                raise SpecError(
                    "lesson",
                    _("{broken} cannot be used: {error}").format(broken=broken.name, error=broken.error),
                    hint=broken.hint,
                )
        names = ", ".join(lesson.name for lesson in self.lessons) or "none"
        raise SpecError(
            "lesson",
            _("there is no lesson {name!a}").format(name=name[:LONGEST_LESSON]),
            hint=_("Lessons: {names}.").format(names=names),
        )


def lessons_folder() -> Path:
    """Return the folder of the lessons that come with DomTune."""
    return Path(str(files("resources").joinpath("lessons")))


def read_lessons(folder: Path | None = None) -> LessonCatalogue:
    """Read all lessons of a folder; a lesson with a mistake stops no other.

    Args:
        folder: The folder; None for the lessons that come with DomTune.

    Raises:
        SpecError: The folder cannot be read.
    """
    folder = folder or lessons_folder()
    try:
        with os.scandir(folder) as entries:
            folders = [entry.name for entry in entries if entry.is_dir() and entry.name[0] not in "._"]
    except OSError as error:
        hint = _("Name a folder that has one folder per lesson.")
        raise SpecError(
            "--from",
            _("{folder} cannot be read: {strerror}").format(folder=folder, strerror=error.strerror or error),
            hint=hint,
        ) from error
    names = sorted(folders, key=_order)
    lessons: list[Lesson] = []
    broken = [
        BrokenLesson(name, _("only {most_lessons} lessons are read").format(most_lessons=MOST_LESSONS))
        for name in names[MOST_LESSONS:]
    ]
    for name in names[:MOST_LESSONS]:
        try:
            lessons.append(read_lesson(folder / name))
        except SpecError as error:
            broken.append(BrokenLesson(name, str(error), error.hint))
    return LessonCatalogue(tuple(lessons), tuple(broken))


def read_lesson(folder: Path) -> Lesson:
    """Read one lesson.

    Args:
        folder: Its folder.

    Raises:
        SpecError: A file is missing, too large or wrong; the message names the file.
    """
    if not _NAME.fullmatch(folder.name):
        hint = _("Take lower-case letters, digits and hyphens, for example 1-who-starves.")
        raise SpecError("lesson", _("{folder!a} is no name of a lesson").format(folder=folder.name[:80]), hint=hint)
    head = _parse_head(_read_text(folder / _HEAD))
    plan = parse_plan(_read_text(folder / _PLAN), _PLAN)
    _check_plan(plan, head)
    return Lesson(
        name=folder.name, head=head, text=_read_text(folder / _TEXT), plan=plan, sheet=_read_text(folder / _SHEET)
    )


def check_prediction(lesson: Lesson, text: str) -> str:
    """Return a prediction in its usual form.

    Args:
        lesson: The lesson.
        text: The prediction as typed.

    Raises:
        SpecError: The text is no prediction for this lesson.
    """
    text = text.strip()
    match lesson.head.predict:
        case "split":
            asked = parse_split(text, "prediction")
            same = [split.label for split in lesson.plan.splits if split.io * asked.guest == split.guest * asked.io]
            if not same:
                hint = _("Take one of {choices}.").format(choices=", ".join(lesson.choices))
                raise SpecError(
                    "prediction", _("the lesson does not measure {label}").format(label=asked.label), hint=hint
                )
            return same[0]
        case "users":
            users = parse_whole_number(text)
            if not users or users > lesson.most_users:
                hint = _("Write a whole number from 1 to {most_users}.").format(most_users=lesson.most_users)
                raise SpecError(
                    "prediction", _("{text!a} is no number of users").format(text=text[:LONGEST_PREDICTION]), hint=hint
                )
            return str(users)
        case "percent":
            percent = parse_decimal(text.rstrip("% "), 0, 100)
            if percent is None:
                hint = _("Write a number from 0 to 100, for example 20.")
                raise SpecError(
                    "prediction", _("{text!a} is no percentage").format(text=text[:LONGEST_PREDICTION]), hint=hint
                )
            return f"{percent:g} %"


def build_lesson_plan(lesson: Lesson, student: str, prediction: str) -> RunSpec:
    """Return the plan of a student's run; the name decides the seed.

    Args:
        lesson: The lesson.
        student: Name of the student.
        prediction: The prediction before the measurement.

    Raises:
        SpecError: The name is missing or too long, or the prediction does not suit the lesson.
    """
    student = " ".join(student.split())
    if not student or len(student) > LONGEST_STUDENT:
        hint = _("The name decides the seed, and is written to the answer file.")
        raise SpecError(
            "student",
            _("needs a name of 1 to {longest_student} letters").format(longest_student=LONGEST_STUDENT),
            hint=hint,
        )
    entry = LessonEntry(lesson.name, student, check_prediction(lesson, prediction))
    name = f"{lesson.head.title} ({student})"
    return msgspec.structs.replace(lesson.plan, name=name, seed=student_seed(student), history=False, lesson=entry)


def _order(name: str) -> tuple[int, str]:
    number = name.partition("-")[0]
    return (int(number) if number.isascii() and number.isdecimal() and len(number) < 4 else MOST_LESSONS, name)


def _read_text(path: Path) -> str:
    try:
        with os.fdopen(open_regular(path, follow=True), "rb") as file:
            body = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise SpecError(
            path.name,
            _("cannot be read: {strerror}").format(strerror=error.strerror or error),
            hint=_("A lesson has four files."),
        ) from error
    if len(body) > _MOST_BYTES:
        raise SpecError(
            path.name, _("is larger than {most_bytes} KiB").format(most_bytes=_MOST_BYTES >> 10), hint=_("Shorten it.")
        )
    return decode_text(body, path.name)


def _parse_head(text: str) -> LessonHead:
    try:
        return msgspec.convert(tomllib.loads(text), LessonHead)
    except (ValueError, RecursionError) as error:  # also errors of TOML and of the fields
        hint = _("It has title, summary, minutes, question and predict.")
        raise SpecError(_HEAD, _("is wrong: {error}").format(error=error), hint=hint) from error


def _check_plan(plan: RunSpec, head: LessonHead) -> None:
    """Refuse a plan of another host or of another question; raise SpecError."""
    host, _unused, query = plan.host_url.partition("?")
    keys = {key for key, _ in parse_qsl(query, keep_blank_values=True)}
    if (
        host not in ("sim:", "local:")
        or (host == "sim:" and not keys <= SIMULATED_KEYS)
        or (query and host == "local:")
    ):
        hint = _("Write sim:, sim:?scheduler=NAME, sim:?noise=NAME or local:.")
        raise SpecError(
            _PLAN,
            _("has the host {host_url!a}, which lessons do not use").format(host_url=plan.host_url[:80]),
            hint=hint,
        )
    fitting = _OF_STUDY.get(plan.kind.name, "split" if plan.kind.recommends_split else "")
    if head.predict != fitting:
        hint = (
            _("Write predict = {fitting!r}.").format(fitting=fitting)
            if fitting
            else _("Take the study split, capacity or isolation.")
        )
        raise SpecError(
            _HEAD,
            _("predict = {predict!r} does not suit the study {kind!r}").format(
                predict=head.predict, kind=plan.kind.name
            ),
            hint=hint,
        )
    if plan.lesson.name:
        raise SpecError(_PLAN, _("has a table [lesson]"), hint=_("Leave it out: DomTune adds it for each student."))
