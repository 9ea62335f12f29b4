"""Chains of runs that continue each other, which are one sweep."""

from collections.abc import Sequence

from scheduler.store.run_entries import RunEntry

RunChain = tuple[RunEntry, ...]


def chain_runs(rows: Sequence[RunEntry]) -> list[RunChain]:
    """Return the runs by sweep, each newest first, in the order of their newest run.

    A run that is no longer in the store ends a chain. Runs of this computer and runs from elsewhere share no chain.
    """
    known = {row.run_id: row for row in rows}
    found: dict[str, list[RunEntry]] = {}
    for row in rows:
        found.setdefault(_first_run_id(row, known), []).append(row)
    return [tuple(chain) for chain in found.values()]


def _first_run_id(row: RunEntry, known: dict[str, RunEntry]) -> str:
    seen: set[str] = set()
    while (earlier := known.get(row.continues)) and row.run_id not in seen:  # a damaged file may hold a circle
        if (earlier.origin is None) != (row.origin is None):
            break
        seen.add(row.run_id)
        row = earlier
    return row.run_id
