"""`domtune runs`: the runs that are kept."""

import argparse
import time
from collections.abc import Sequence

import msgspec

from scheduler import places
from scheduler.commands.answers import print_json, print_lines
from scheduler.commands.applied import applied_hosts, applied_line
from scheduler.commands.changing_runs import RunChange, change_of
from scheduler.commands.exits import Exit
from scheduler.commands.restoring import blank
from scheduler.commands.stored import find
from scheduler.commands.tables import columns, results_lines
from scheduler.errors import HostBusy, JournalError, SpecError
from scheduler.model.holder import Holder
from scheduler.model.probe import RestoreItem
from scheduler.model.results import Results
from scheduler.run.journal import HostLock
from scheduler.store.answers import renew_answers, results_of
from scheduler.store.chains import Chain, chains
from scheduler.store.entries import RunEntry
from scheduler.store.runs import RunStore


class Listing(msgspec.Struct, frozen=True):
    """What `runs --json` prints.

    Attributes:
        runs: Newest first. Of a change, the runs that were changed, as they are now.
        applied: Hosts with an applied split.
    """

    runs: tuple[RunEntry, ...]
    applied: tuple[RestoreItem, ...] = ()


def runs(arguments: argparse.Namespace) -> int:
    """List all runs, show one, or change what is said of one."""
    change = change_of(arguments)
    if change.wanted:
        return _changed(change, as_json=arguments.json)
    with RunStore(places.store_path(), read_only=True) as store:
        if arguments.run:
            _show(results_of(store, find(store, _one(arguments.run))), as_json=arguments.json)
            return Exit.DONE
    renew_answers(places.store_path())
    with RunStore(places.store_path(), read_only=True) as store:
        rows = store.deleted_runs() if arguments.deleted else store.runs()
    applied = () if arguments.deleted else _applied()
    if arguments.json:
        print_json(Listing(tuple(rows), applied))
    else:
        none = "No run is deleted." if arguments.deleted else "No runs yet."
        print_lines(*(columns(_table(rows)) if rows else [none]), *map(applied_line, applied))
    return Exit.DONE


def _applied() -> tuple[RestoreItem, ...]:
    """Return the hosts with an applied split; that it cannot be told is a row of its own."""
    try:
        return applied_hosts()
    except JournalError as error:
        return (blank(error),)


def _one(runs: Sequence[str]) -> str:
    if len(runs) > 1:
        raise SpecError("RUN", f"{len(runs)} runs are named", hint="One at a time is shown; several can be changed.")
    return runs[0]


def _changed(change: RunChange, *, as_json: bool) -> int:
    rows = change.apply()
    if as_json:
        print_json(Listing(tuple(rows)))
    else:
        print_lines(*(line for row in rows for line in change.said(row)))
    return Exit.DONE


def _show(results: Results, *, as_json: bool) -> None:
    if as_json:
        print_json(results)
    else:
        print_lines(*results_lines(results))


def _table(rows: list[RunEntry]) -> list[tuple[str, ...]]:
    """Return a row per sweep, newest first: of its newest run. Only a host's newest can be what holds it now."""
    newest: dict[str, str] = {}
    for row in rows:
        newest.setdefault(row.host_id, row.run_id)
    return [_words(chain, running=newest[chain[0].host_id] == chain[0].run_id) for chain in chains(rows)]


def _goes_on(row: RunEntry) -> bool:
    """Return whether a run that has not ended still holds its host."""
    if row.outcome is not None:
        return False
    try:
        with HostLock(places.journal_dir(), row.host_id):
            return False
    except HostBusy as error:
        return error.holder in (Holder.SWEEP, Holder.UNKNOWN)  # whoever else holds it took it when the run was over
    except JournalError:
        return False


def _words(chain: Chain, *, running: bool) -> tuple[str, ...]:
    row, earlier = chain[0], len(chain) - 1
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.started_unix_s))
    outcome = row.outcome.value if row.outcome else "running" if running and _goes_on(row) else "unfinished"
    if earlier:
        outcome += ", continued once" if earlier == 1 else f", continued {earlier} times"
    unnamed = "(simulated)" if row.simulated else ""  # a headline says it itself
    headline = row.answer.headline if row.answer else unnamed
    return (row.run_id, when, row.plan.host_url, row.name, outcome, _tagged(row), headline)


def _tagged(row: RunEntry) -> str:
    return f"[{', '.join(row.tags)}]" if row.tags else ""
