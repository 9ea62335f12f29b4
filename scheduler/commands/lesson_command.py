"""`domtune lesson`: list and show lessons, run one with a prediction, check a run."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import msgspec

from scheduler import places
from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.exit_codes import ExitCode, exit_for_run
from scheduler.commands.results_table import align_columns, results_lines
from scheduler.commands.run_command import run_with_progress
from scheduler.commands.stored_runs import find_run
from scheduler.commands.sweep import SweepRequest
from scheduler.errors import SpecError, StoreError
from scheduler.export.run_file_export import export_run_file
from scheduler.lessons.lesson_check import CheckedLesson, LessonCheck, check_lesson
from scheduler.lessons.lesson_files import Lesson, LessonCatalogue, LessonHead, build_lesson_plan, read_lessons
from scheduler.model.documents import RunStarted
from scheduler.model.host_kinds import is_simulated
from scheduler.model.results import Results
from scheduler.store.result_cache import load_results
from scheduler.store.run_store import RunStore
from scheduler.translation import _


class LessonRow(msgspec.Struct, frozen=True):
    """One lesson of `lesson list --json`.

    Attributes:
        name: Name of the lesson.
        head: Title, summary, minutes, question and kind of the prediction.
        simulated: True for a lesson on a simulated host.
    """

    name: str
    head: LessonHead
    simulated: bool


class LessonListing(msgspec.Struct, frozen=True):
    """Answer of `lesson list --json`.

    Attributes:
        lessons: The lessons.
        broken: Name of a folder to the reason why it cannot be used.
    """

    lessons: tuple[LessonRow, ...]
    broken: dict[str, str]


class LessonView(msgspec.Struct, frozen=True):
    """Answer of `lesson show --json`.

    Attributes:
        row: The lesson.
        text: Its text in Markdown.
        choices: Splits that can be predicted; empty for a number.
    """

    row: LessonRow
    text: str
    choices: tuple[str, ...]


def lesson(arguments: argparse.Namespace) -> int:
    """Carry out one action on lessons."""
    catalogue = read_lessons(Path(arguments.folder) if arguments.folder else None)
    if arguments.action == "list":
        return _list_lessons(catalogue, as_json=arguments.json)
    if arguments.action == "check":
        return _check_run(arguments, catalogue)
    if not arguments.name:
        raise SpecError("LESSON", _("none given"), hint=_("'domtune lesson list' names all lessons."))
    chosen = catalogue.find(arguments.name)
    if arguments.action == "show":
        return _show_lesson(chosen, as_json=arguments.json)
    return _run_lesson(arguments, chosen)


def _list_lessons(catalogue: LessonCatalogue, *, as_json: bool) -> int:
    broken = {each.name: f"{each.error}. {each.hint}".rstrip() for each in catalogue.broken}
    if as_json:
        print_json(LessonListing(tuple(map(_lesson_row, catalogue.lessons)), broken))
    else:
        rows = [
            (
                each.name,
                _("{minutes} min").format(minutes=each.head.minutes),
                each.plan.host_url.partition("?")[0],
                each.head.title,
            )
            for each in catalogue.lessons
        ]
        print_lines(
            *(align_columns([("lesson", "time", "host", "title"), *rows]) if rows else [_("There are no lessons.")]),
            *(_("{name} cannot be used: {why}").format(name=name, why=why) for name, why in broken.items()),
        )
    return ExitCode.BAD_INPUT if broken else ExitCode.DONE


def _lesson_row(found: Lesson) -> LessonRow:
    return LessonRow(found.name, found.head, simulated=is_simulated(found.plan.host_url))


def _show_lesson(chosen: Lesson, *, as_json: bool) -> int:
    if as_json:
        print_json(LessonView(_lesson_row(chosen), chosen.text, chosen.choices))
    else:
        print_lines(*chosen.text.splitlines(), *_question_lines(chosen))
    return ExitCode.DONE


def _question_lines(chosen: Lesson) -> Iterator[str]:
    yield _("Predict before you measure: {question}").format(question=chosen.head.question)
    if chosen.choices:
        yield _("Choices: {choices}").format(choices=", ".join(chosen.choices))
    yield _("Then: domtune lesson run {chosen} --student NAME --predict PREDICTION").format(chosen=chosen.name)


def _run_lesson(arguments: argparse.Namespace, chosen: Lesson) -> int:
    """Measure with a prediction, print the check, and write the answer file."""
    if not arguments.predict:
        hint = _("{question} Add --predict {choices}.").format(
            question=chosen.head.question, choices=chosen.choices[0] if chosen.choices else "NUMBER"
        )
        raise SpecError("--predict", _("a lesson needs the prediction before the measurement"), hint=hint)
    spec = build_lesson_plan(chosen, arguments.student, arguments.predict)
    done = run_with_progress(SweepRequest(spec), quiet=arguments.quiet)
    results = done.results
    with RunStore(places.store_path(), read_only=True) as store:
        found = CheckedLesson.join(_check_stored(store, results), chosen)
        target = Path(arguments.out) if arguments.out else Path.cwd() / f"domtune-{results.run_id}"
        try:
            written = export_run_file(store, results.run_id, target)
        except OSError as error:
            hint = _("Give another --out: domtune export {run_id} --to file --out PATH.").format(run_id=results.run_id)
            raise StoreError(
                _("{target} could not be written: {strerror}").format(target=target, strerror=error.strerror), hint=hint
            ) from error
    if arguments.json:
        print_json(found)
    else:
        print_lines(
            *results_lines(results),
            *_check_lines(found),
            *(_("answer file: {path}").format(path=path) for path in written),
        )
    return exit_for_run(results.outcome, done.error, restored=results.restored, busy=results.busy)


def _check_run(arguments: argparse.Namespace, catalogue: LessonCatalogue) -> int:
    with RunStore(places.store_path(), read_only=True) as store:
        row = find_run(store, arguments.name or "last")
        check = _check_stored(store, load_results(store, row))
    found = next((each for each in catalogue.lessons if each.name == check.lesson), None)
    answer = CheckedLesson.join(check, found)
    if arguments.json:
        print_json(answer)
    else:
        print_lines(*_check_lines(answer))
    return ExitCode.DONE


def _check_stored(store: RunStore, results: Results) -> LessonCheck:
    first = next(iter(store.documents(results.run_id, samples=False)), None)
    if not isinstance(first, RunStarted):
        raise StoreError(
            _("run {run_id} has no start").format(run_id=results.run_id), hint=_("Start the lesson again.")
        )
    return check_lesson(first, results)


def _check_lines(answer: CheckedLesson) -> Iterator[str]:
    yield f"{answer.title}, {answer.check.student}:"
    yield from (f"  {text}" for text in answer.check.sentences)
    yield from answer.sheet.splitlines()
