"""Answers of a class as table, histogram and CSV.

Nothing of an answer file is executed.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from scheduler.errors import SchedulerError, SpecError, StoreError
from scheduler.export.csv_points import csv_text
from scheduler.lessons.lesson_check import LessonCheck, check_lesson
from scheduler.model.command_answers import RefusedFile
from scheduler.model.documents import RunStarted
from scheduler.model.number_texts import format_percent
from scheduler.stats.results import summarise_run
from scheduler.store.run_file import read_run_file
from scheduler.translation import _

MOST_FILES = 1000
"""Largest number of answer files at once."""

CSV_HEADER = (
    "file",
    "lesson",
    "student",
    "predicted",
    "measured",
    "decided",
    "truth",
    _("loss of the prediction (fraction)"),
    _("loss of the measured (fraction)"),
    "decision",
    "run",
)
TABLE_HEAD = ("student", "predicted", "measured", "decided", "truth", _("lost by the prediction"))

_IMPOSSIBLE = (SchedulerError, msgspec.MsgspecError, ArithmeticError, ValueError, TypeError, LookupError)
_BAR_WIDTH = 30


class ClassAnswer(msgspec.Struct, frozen=True):
    """Answer file of one student.

    Attributes:
        file: Path of the file.
        check: The check of its run.
    """

    file: str
    check: LessonCheck


class ClassCollection(msgspec.Struct, frozen=True):
    """Answers of a class.

    Attributes:
        answers: The answers by lesson and student.
        refused: Files that cannot be read, each with its reason.
        repeated: Files with a run that another file has, too.
    """

    answers: tuple[ClassAnswer, ...]
    refused: tuple[RefusedFile, ...] = ()
    repeated: tuple[str, ...] = ()


def collect_answers(paths: Sequence[Path]) -> ClassCollection:
    """Read and check answer files; a refused file stops no other.

    Args:
        paths: The files.

    Raises:
        SpecError: There are too many files.
    """
    if len(paths) > MOST_FILES:
        raise SpecError(
            "FILE",
            _("{count} files are too many").format(count=len(paths)),
            hint=_("Collect at most {most_files} at once.").format(most_files=MOST_FILES),
        )
    answers: dict[str, ClassAnswer] = {}
    refused: list[RefusedFile] = []
    repeated: list[str] = []
    for path in paths:
        try:
            check = _read_answer(path)
        except SchedulerError as error:
            refused.append(RefusedFile(file=str(path), error=str(error), hint=error.hint))
            continue
        if check.run_id in answers:
            repeated.append(str(path))
        else:
            answers[check.run_id] = ClassAnswer(str(path), check)
    ordered = sorted(answers.values(), key=lambda each: (each.check.lesson, each.check.student.casefold(), each.file))
    return ClassCollection(tuple(ordered), tuple(refused), tuple(repeated))


def answer_rows(answers: Iterable[ClassAnswer]) -> list[tuple[str, ...]]:
    """Return a row per answer for a table, in the order of `TABLE_HEAD`."""
    return [
        (
            check.student,
            check.predicted,
            check.measured or "-",
            "yes" if check.decided else "no",
            check.truth or "-",
            format_percent(max(0.0, check.predicted_loss_frac)) if check.predicted_loss_frac is not None else "-",
        )
        for check in (answer.check for answer in answers)
    ]


def histogram_lines(answers: Sequence[ClassAnswer]) -> list[str]:
    """Return bars of text: how often each value was predicted and measured.

    Args:
        answers: Answers of one lesson.
    """
    predicted, measured = (Counter(values) for values in zip(*_pairs(answers), strict=True))
    values = sorted({*predicted, *measured}, key=lambda value: (-predicted[value] - measured[value], value))
    truths = {answer.check.truth for answer in answers}
    width, most = max(map(len, values)), max(*predicted.values(), *measured.values())
    lines: list[str] = []
    for value in values:
        mark = "  <- truth" if value in truths else ""
        for name, counts in (("predicted", predicted), ("measured", measured)):
            bar = "#" * round(_BAR_WIDTH * counts[value] / most)
            label = value if name == "predicted" else ""
            lines.append(f"{label:<{width}}  {name:<9}  {bar} {counts[value]}{mark if label else ''}")
    return lines


def collection_csv(collection: ClassCollection) -> str:
    """Return the answers as CSV, which spreadsheets read without running formulas."""
    return csv_text(
        CSV_HEADER,
        (
            (
                answer.file,
                check.lesson,
                check.student,
                check.predicted,
                check.measured,
                "yes" if check.decided else "no",
                check.truth,
                check.predicted_loss_frac,
                check.measured_loss_frac,
                check.decision,
                check.run_id,
            )
            for answer in collection.answers
            for check in (answer.check,)
        ),
    )


def _pairs(answers: Iterable[ClassAnswer]) -> list[tuple[str, str]]:
    return [(answer.check.predicted, answer.check.measured or "nothing") for answer in answers]


def _read_answer(path: Path) -> LessonCheck:
    """Return the check of an answer file; raise StoreError for another file."""
    run = read_run_file(path)
    first = run.documents[0]
    if not isinstance(first, RunStarted) or not first.spec.lesson.name:
        hint = _("An answer file is the run file of a lesson.")
        raise StoreError(_("{path} is no answer of a lesson").format(path=path.name), hint=hint)
    try:
        return check_lesson(first, summarise_run(run.documents))
    except _IMPOSSIBLE as error:
        text = _("{path} has impossible figures ({error})").format(path=path.name, error=type(error).__name__)
        raise StoreError(text, hint=_("Ask for the file again.")) from error
