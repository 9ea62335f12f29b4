"""`domtune class collect`: join the answer files of a class to one table."""

import argparse
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.results_table import align_columns
from scheduler.errors import StoreError
from scheduler.export.files import write_text
from scheduler.export.guarded_writing import write_guarded
from scheduler.lessons.class_collection import (
    TABLE_HEAD,
    ClassCollection,
    answer_rows,
    collect_answers,
    collection_csv,
    histogram_lines,
)
from scheduler.translation import _, ngettext


def class_(arguments: argparse.Namespace) -> int:
    """Print a table and a histogram of answer files; write CSV if wanted."""
    collection = collect_answers([Path(file) for file in arguments.file])
    written = _write_csv(Path(arguments.csv), collection, replace=arguments.force) if arguments.csv else ()
    if arguments.json:
        print_json(collection)
    else:
        print_lines(*_collection_lines(collection), *(str(path) for path in written))
    return ExitCode.BAD_INPUT if collection.refused else ExitCode.DONE


def _collection_lines(collection: ClassCollection) -> Iterator[str]:
    for name, group in groupby(collection.answers, key=lambda answer: answer.check.lesson):
        answers = list(group)
        yield ngettext("{lesson}: {n} answer", "{lesson}: {n} answers", len(answers)).format(
            lesson=name, n=len(answers)
        )
        yield from align_columns([TABLE_HEAD, *answer_rows(answers)])
        yield from histogram_lines(answers)
    yield from (
        _("{file}: the same run as another file, counted once").format(file=file) for file in collection.repeated
    )
    yield from (f"{each.file}: {each.error}. {each.hint}".rstrip() for each in collection.refused)
    yield _("{count} collected, {count_2} refused").format(
        count=len(collection.answers), count_2=len(collection.refused)
    )


def _write_csv(target: Path, collection: ClassCollection, *, replace: bool) -> tuple[Path, ...]:
    text = collection_csv(collection)
    try:
        return write_guarded(lambda path: (write_text(path, text),), target, None if replace else ())
    except OSError as error:
        raise StoreError(
            _("{target} could not be written: {strerror}").format(target=target, strerror=error.strerror),
            hint=_("Give another --csv."),
        ) from error
