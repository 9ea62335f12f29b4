"""`domtune export RUN --to KIND`: write results and configurations to files."""

import argparse
from collections.abc import Callable, Collection
from pathlib import Path

from scheduler import places
from scheduler.commands.command_output import print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.stored_runs import resolve_run_id
from scheduler.errors import SpecError, StoreError
from scheduler.export.exporters import list_exporters
from scheduler.export.observation_export import observation_exporters
from scheduler.export.run_file_export import export_run_file
from scheduler.model.documents import HostCommand
from scheduler.model.run_paths import RUN_FILE
from scheduler.model.setting import parse_split_setting
from scheduler.store.observation_summary import build_record
from scheduler.store.result_cache import load_results
from scheduler.store.run_entries import RunEntry
from scheduler.store.run_store import RunStore
from scheduler.translation import _


def export(arguments: argparse.Namespace) -> int:
    """Write the files and print their paths."""
    if arguments.to == RUN_FILE:
        return _export_run_file(arguments)
    exporter = list_exporters().get(arguments.to)
    if exporter is None:
        hint = _("Known: {names}.").format(names=", ".join((RUN_FILE, *list_exporters())))
        raise SpecError("--to", _("{to!r} is not an export").format(to=arguments.to), hint=hint)
    split = parse_split_setting(arguments.split, "--split") if arguments.split else None
    exporter = exporter.for_split(split, anyway=arguments.anyway)
    with RunStore(places.store_path(), read_only=True) as store:
        entry = store.entry(resolve_run_id(store, arguments.run))
        if entry.plan.observes:
            return _export_observation(arguments, store, entry)
        row = store.run(entry.run_id)
        results = load_results(store, row)
        command_log = tuple(
            line for line in store.documents(row.run_id, samples=False) if isinstance(line, HostCommand)
        )
    name = "-".join(("domtune", row.run_id, *filter(None, arguments.split.split(":"))))
    target = Path(arguments.out) if arguments.out else Path.cwd() / name
    may = _replaceable(arguments)
    return _write_files(
        target, lambda: exporter.write(results, row.spec, row.facts, target, command_log, replacing=may)
    )


def _export_run_file(arguments: argparse.Namespace) -> int:
    """Write a run file of a sweep or an observation."""
    if arguments.split or arguments.anyway:
        option = "--split" if arguments.split else "--anyway"
        raise SpecError(option, _("a run file is not of one split"), hint=_("Leave it out: every split is in there."))
    with RunStore(places.store_path(), read_only=True) as store:
        run_id = resolve_run_id(store, arguments.run)
        target = Path(arguments.out) if arguments.out else Path.cwd() / f"domtune-{run_id}"
        may = _replaceable(arguments)
        return _write_files(target, lambda: export_run_file(store, run_id, target, replacing=may))


def _replaceable(arguments: argparse.Namespace) -> Collection[Path] | None:
    return None if arguments.force else ()


def _write_files(target: Path, write: Callable[[], tuple[Path, ...]]) -> int:
    """Write an export and print its paths.

    Raises:
        StoreError: The target cannot be written.
    """
    try:
        written = write()
    except OSError as error:
        raise StoreError(
            _("{target} could not be written: {strerror}").format(target=target, strerror=error.strerror),
            hint=_("Give another --out."),
        ) from error
    print_lines(*(str(path) for path in written))
    return ExitCode.DONE


def _export_observation(arguments: argparse.Namespace, store: RunStore, entry: RunEntry) -> int:
    write = observation_exporters().get(arguments.to)
    if write is None:
        hint = _("Use one of {names}.").format(names=", ".join((RUN_FILE, *observation_exporters())))
        raise SpecError("--to", _("an observation has no export {to!r}").format(to=arguments.to), hint=hint)
    if arguments.split:
        hint = _("Leave --split out: a watch names one split, of which 'bundle' makes scripts.")
        raise SpecError("--split", _("an observation measured no splits"), hint=hint)
    record = build_record(entry.run_id, entry.name, store.documents(entry.run_id))
    target = Path(arguments.out) if arguments.out else Path.cwd() / f"domtune-{entry.run_id}"
    may = _replaceable(arguments)
    return _write_files(target, lambda: write(record, target, may))
