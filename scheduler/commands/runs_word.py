"""`domtune runs`: the runs that are kept."""

import argparse
import time

import msgspec

from scheduler import places
from scheduler.commands.answers import print_json, print_lines
from scheduler.commands.exits import Exit
from scheduler.commands.tables import columns, results_lines
from scheduler.errors import HostBusy, JournalError, StoreError
from scheduler.model.results import Results
from scheduler.run.journal import HostLock
from scheduler.stats.results import results_from
from scheduler.store.rows import RunRow
from scheduler.store.runs import RunStore


class Listing(msgspec.Struct, frozen=True):
    """All runs, newest first: what `runs --json` prints."""

    runs: tuple[RunRow, ...]


def runs(arguments: argparse.Namespace) -> int:
    """List all runs, or show one."""
    with RunStore(places.store_path(), read_only=True) as store:
        if arguments.run:
            _show(results_of(store, find(store, arguments.run)), as_json=arguments.json)
            return Exit.DONE
        rows = store.runs()
    if arguments.json:
        print_json(Listing(tuple(rows)))
    else:
        print_lines(*(columns(_table(rows)) if rows else ["No runs yet."]))
    return Exit.DONE


def find(store: RunStore, run: str) -> RunRow:
    """Return a run by its id, or the newest for `last`; raises StoreError."""
    if run != "last":
        return store.run(run)
    rows = store.runs()
    if not rows:
        raise StoreError("there are no runs yet", hint="'domtune run PLAN' makes one.")
    return rows[0]


def results_of(store: RunStore, row: RunRow) -> Results:
    """Return a run's results; those of a broken run are made from its documents."""
    return row.results or results_from(store.documents(row.run_id))


def _show(results: Results, *, as_json: bool) -> None:
    if as_json:
        print_json(results)
    else:
        print_lines(*results_lines(results))


def _table(rows: list[RunRow]) -> list[tuple[str, ...]]:
    """Return a row per run, newest first; only a host's newest one can be what holds it now."""
    newest: dict[str, str] = {}
    for row in rows:
        newest.setdefault(row.facts.host_id, row.run_id)
    return [_words(row, running=newest[row.facts.host_id] == row.run_id and _goes_on(row)) for row in rows]


def _goes_on(row: RunRow) -> bool:
    """Return whether a run that has not ended still holds its host."""
    if row.outcome is not None:
        return False
    try:
        with HostLock(places.journal_dir(), row.facts.host_id):
            return False
    except HostBusy:
        return True
    except JournalError:
        return False


def _words(row: RunRow, *, running: bool) -> tuple[str, ...]:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.started_unix_s))
    outcome = row.outcome.value if row.outcome else "running" if running else "unfinished"
    unnamed = "(simulated)" if row.simulated else ""  # a headline says it itself
    headline = row.results.recommendation.headline if row.results else unnamed
    return (row.run_id, when, row.spec.host_url, row.spec.name, outcome, headline)
