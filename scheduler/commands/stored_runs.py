"""Lookup of stored runs by the id that a user typed."""

import contextlib

from scheduler.errors import StoreError
from scheduler.model.documents import TrialDone
from scheduler.store.run_rows import RunRow
from scheduler.store.run_store import RunStore
from scheduler.translation import _


def resolve_run_id(store: RunStore, run: str, *, sweep: bool = False) -> str:
    """Return a run's id, or the id of the newest run for `last`.

    Args:
        store: The store of runs.
        run: Id of the run, or `last`.
        sweep: True to leave out observations for `last`.

    Raises:
        StoreError: There are no runs.
    """
    if run != "last":
        return run
    newest = store.newest(sweep=sweep)
    if not newest:
        raise StoreError(_("there are no runs yet"), hint=_("'domtune run PLAN' makes one."))
    return newest


def find_run(store: RunStore, run: str) -> RunRow:
    """Return a sweep by its id, or the newest sweep for `last`; read no other run.

    Args:
        store: The store of runs.
        run: Id of the run, or `last`.

    Raises:
        StoreError: There is no such run, or the run observed a host.
    """
    return store.run(resolve_run_id(store, run, sweep=True))


def read_trials(store: RunStore, row: RunRow) -> list[TrialDone]:
    """Return the trials of a run, and those of the runs that it continues.

    Trials that the run repeated are left out of the earlier ones.

    Args:
        store: The store of runs.
        row: The run.

    Raises:
        StoreError: The run cannot be read.
    """
    found: list[TrialDone] = []
    seen: set[str] = set()
    while row.run_id not in seen:
        seen.add(row.run_id)
        there = {(done.setting, done.member, done.block) for done in found}
        own = (document for document in store.documents(row.run_id, samples=False) if isinstance(document, TrialDone))
        found += [done for done in own if (done.setting, done.member, done.block) not in there]
        with contextlib.suppress(StoreError):  # an earlier run may have been deleted since
            row = store.run(row.continues) if row.continues else row
    return found
