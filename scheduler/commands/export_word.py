"""`domtune export RUN --to KIND`: results and configurations for other tools and people."""

import argparse
from pathlib import Path

from scheduler import places
from scheduler.commands.answers import print_lines
from scheduler.commands.exits import Exit
from scheduler.commands.stored import find
from scheduler.errors import SpecError, StoreError
from scheduler.export.registry import exporters
from scheduler.model.documents import HostCommand
from scheduler.store.answers import results_of
from scheduler.store.runs import RunStore


def export(arguments: argparse.Namespace) -> int:
    """Write the files and print their paths."""
    exporter = exporters().get(arguments.to)
    if exporter is None:
        raise SpecError("--to", f"{arguments.to!r} is not an export", hint=f"Known: {', '.join(exporters())}.")
    exporter = exporter.for_split(arguments.split, anyway=arguments.anyway)
    with RunStore(places.store_path(), read_only=True) as store:
        row = find(store, arguments.run)
        results = results_of(store, row)
        ledger = tuple(line for line in store.documents(row.run_id, samples=False) if isinstance(line, HostCommand))
    name = "-".join(("domtune", row.run_id, *filter(None, arguments.split.split(":"))))
    target = Path(arguments.out) if arguments.out else Path.cwd() / name
    try:
        written = exporter.write(
            results, row.spec, row.facts, target, ledger, replacing=None if arguments.force else ()
        )
    except OSError as error:
        raise StoreError(f"{target} could not be written: {error.strerror}", hint="Give another --out.") from error
    print_lines(*(str(path) for path in written))
    return Exit.DONE
