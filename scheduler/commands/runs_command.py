"""`domtune runs`: list, show and change stored runs."""

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from scheduler import places
from scheduler.commands.applied_splits import applied_line, list_applied_hosts
from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.observation_recorder import is_observing
from scheduler.commands.pending_restores import error_item
from scheduler.commands.results_table import align_columns, answer_lines, results_lines
from scheduler.commands.run_changes import RunChange, parse_run_change
from scheduler.commands.stored_runs import resolve_run_id
from scheduler.errors import HostBusy, JournalError, SpecError
from scheduler.model.command_answers import RestoreItem
from scheduler.model.duration_text import parse_duration_s
from scheduler.model.lock_owner import LockOwner
from scheduler.model.number_texts import format_percent
from scheduler.model.results import Results
from scheduler.run.journal import HostLock
from scheduler.store.observation_summary import build_record
from scheduler.store.result_cache import load_results, renew_results
from scheduler.store.run_chains import RunChain, chain_runs
from scheduler.store.run_entries import RunEntry, RunOrigin
from scheduler.store.run_store import RunStore
from scheduler.translation import _, ngettext

_LATEST = "30d"  # longest time of `--at`


class RunListing(msgspec.Struct, frozen=True):
    """Answer of `runs --json`.

    Attributes:
        runs: Runs, newest first; after a change, the changed runs.
        applied: Hosts with an applied split.
    """

    runs: tuple[RunEntry, ...]
    applied: tuple[RestoreItem, ...] = ()


def runs(arguments: argparse.Namespace) -> int:
    """List all runs, show one, or change some."""
    change = parse_run_change(arguments)
    at_s = None if arguments.at is None else parse_duration_s(arguments.at, "--at", "0s", _LATEST)
    if change.has_changes:
        return _print_changed(change, as_json=arguments.json)
    if at_s is not None and not arguments.run:
        raise SpecError(
            "--at", _("a time was given without a run"), hint=_("Name the run, for example: runs last --at 12m.")
        )
    with RunStore(places.store_path(), read_only=True) as store:
        if arguments.run:
            entry = store.entry(resolve_run_id(store, _require_one(arguments.run)))
            if entry.origin is not None and not arguments.json:
                print_lines(*_origin_lines(entry.origin))
            if entry.plan.observes:
                _refuse_replay(at_s)
                _print_observation(store, entry, as_json=arguments.json)
            elif at_s is not None:
                _print_moment(store, store.run(entry.run_id), at_s, as_json=arguments.json)
            else:
                _print_results(load_results(store, store.run(entry.run_id)), as_json=arguments.json)
            return ExitCode.DONE
    renew_results(places.store_path())
    with RunStore(places.store_path(), read_only=True) as store:
        rows = store.deleted_runs() if arguments.deleted else store.runs()
    applied = () if arguments.deleted else _list_applied()
    if arguments.json:
        print_json(RunListing(tuple(rows), applied))
    else:
        none = _("No run is deleted.") if arguments.deleted else _("No runs yet.")
        print_lines(*(align_columns(_run_rows(rows)) if rows else [none]), *map(applied_line, applied))
    return ExitCode.DONE


def _list_applied() -> tuple[RestoreItem, ...]:
    """Return the hosts with an applied split; an unreadable folder is a row."""
    try:
        return list_applied_hosts()
    except JournalError as error:
        return (error_item(error),)


def _require_one(runs: Sequence[str]) -> str:
    if len(runs) > 1:
        raise SpecError(
            "RUN",
            _("{count} runs are named").format(count=len(runs)),
            hint=_("One at a time is shown; several can be changed."),
        )
    return runs[0]


def _print_changed(change: RunChange, *, as_json: bool) -> int:
    rows = change.apply()
    if as_json:
        print_json(RunListing(tuple(rows)))
    else:
        print_lines(*(line for row in rows for line in change.summary_lines(row)))
    return ExitCode.DONE


def _refuse_replay(at_s: float | None) -> None:
    if at_s is not None:
        hint = _("'domtune runs RUN' shows the whole record, with the times of its intervals.")
        raise SpecError("--at", _("only a sweep or a study has an answer at each time"), hint=hint)


def _print_moment(store: RunStore, run: RunEntry, at_s: float, *, as_json: bool) -> None:
    """Print the answer of a run as it was at a time."""
    from scheduler.stats.replay import describe_moment, replay_run  # imports numpy

    moment = replay_run(tuple(store.documents(run.run_id, samples=False)), at_s)
    moment = msgspec.structs.replace(moment, results=run.add_labels(moment.results))
    if as_json:
        print_json(moment)
    else:
        shown = results_lines if moment.final else answer_lines
        print_lines(describe_moment(moment), "", *shown(moment.results))


def _print_observation(store: RunStore, entry: RunEntry, *, as_json: bool) -> None:
    record = build_record(entry.run_id, entry.name, store.documents(entry.run_id))
    if as_json:
        print_json(record)
    else:
        from scheduler.commands.observation_output import observation_lines  # imports numpy

        print_lines(*observation_lines(record))


def _print_results(results: Results, *, as_json: bool) -> None:
    if as_json:
        print_json(results)
    else:
        print_lines(*results_lines(results))


def _run_rows(rows: list[RunEntry]) -> list[tuple[str, ...]]:
    """Return a row per sweep, newest first, for the newest run of the sweep.

    Only the newest run of a host can hold it.
    """
    newest: dict[str, str] = {}
    for row in rows:
        newest.setdefault(row.host_id, row.run_id)
    return [_run_row(chain, running=newest[chain[0].host_id] == chain[0].run_id) for chain in chain_runs(rows)]


def _is_running(row: RunEntry) -> bool:
    """Return True when a run without an end still holds its host."""
    if row.outcome is not None or row.plan.observes:
        return is_observing(row)
    try:
        with HostLock(places.journal_dir(), row.host_id):
            return False
    except HostBusy as error:
        return error.holder in (
            LockOwner.SWEEP,
            LockOwner.UNKNOWN,
        )  # another kind of holder took the host after the run
    except JournalError:
        return False


def _run_row(chain: RunChain, *, running: bool) -> tuple[str, ...]:
    row, earlier = chain[0], len(chain) - 1
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.started_unix_s))
    outcome = (
        row.outcome.value
        if row.outcome
        else "running"
        if (running or row.plan.observes) and _is_running(row)
        else "unfinished"
    )
    if earlier:
        outcome += ngettext(", continued once", ", continued {n} times", earlier).format(n=earlier)
    if row.origin is not None:
        outcome += _(", from elsewhere")
    unnamed = "(simulated)" if row.simulated else ""  # a headline has the word itself
    headline = row.answer.headline if row.answer else unnamed
    if row.plan.observes and row.answer:
        headline = f"{unnamed} {headline}".lstrip()
    name = row.name or (row.plan.study if row.plan.observes else "")
    return (row.run_id, when, row.plan.host_url, name, outcome, _tags_words(row), headline)


def _origin_lines(origin: RunOrigin) -> Iterator[str]:
    """Yield the file of a run from elsewhere, and the weights that its sender saw."""
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(origin.imported_unix_s))
    computer = _(", written on {computer}").format(computer=origin.computer) if origin.computer else ""
    yield f"FROM ELSEWHERE: imported on {when} from {origin.file}{computer}"
    if origin.shown_weights:
        shown, planned = _weights_text(origin.shown_weights), _weights_text(origin.planned_weights)
        yield _(
            "Its sender saw the weights {shown}; the plan has {planned}, and the answer here is for the plan."
        ).format(shown=shown, planned=planned)


def _weights_text(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{load} {format_percent(weight)}" for load, weight in weights.items())


def _tags_words(row: RunEntry) -> str:
    return f"[{', '.join(row.tags)}]" if row.tags else ""
