"""`domtune import FILE...`: store runs from run files and show their results."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from scheduler import places
from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.results_table import results_lines
from scheduler.model.command_answers import ImportAnswer
from scheduler.store.observation_summary import build_record
from scheduler.store.result_cache import load_results
from scheduler.store.results_file import read_results_file
from scheduler.store.run_import import import_files
from scheduler.store.run_store import RunStore, open_store
from scheduler.translation import _


def import_(arguments: argparse.Namespace) -> int:
    """Import the files, show their results, and name the refused files."""
    with open_store(places.store_path()) as store:
        answer = import_files(store, [Path(file) for file in arguments.file])
        if arguments.json:
            print_json(answer)
        else:
            print_lines(*_answer_lines(store, answer))
    return ExitCode.BAD_INPUT if answer.refused else ExitCode.DONE


def _answer_lines(store: RunStore, answer: ImportAnswer) -> Iterator[str]:
    shown = len(answer.runs) + len(answer.results) == 1
    for run in answer.runs:
        if shown:
            yield from _run_lines(store, run.run_id)
        state = _("is already here") if run.already else _("is imported")
        yield _("{file}: run {run_id} {state}; 'domtune runs {run_id}' shows it").format(
            file=run.file, run_id=run.run_id, state=state
        )
    for file in answer.results:
        if shown:
            yield from results_lines(read_results_file(Path(file)))
        yield _("{file}: results without their trials; they are shown, and not stored").format(file=file)
    for refused in answer.refused:
        yield f"{refused.file}: {refused.error}. {refused.hint}".rstrip()
    if len(answer.runs) + len(answer.results) + len(answer.refused) > 1:
        new = sum(not run.already for run in answer.runs)
        yield _("{new} imported, {count} already here, {count_2} refused").format(
            new=new, count=len(answer.runs) - new, count_2=len(answer.refused)
        )


def _run_lines(store: RunStore, run_id: str) -> Iterator[str]:
    entry = store.entry(run_id)
    if entry.plan.observes:
        from scheduler.commands.observation_output import observation_lines  # imports numpy

        yield from observation_lines(build_record(run_id, entry.name, store.documents(run_id)))
    else:
        yield from results_lines(load_results(store, store.run(run_id)))
