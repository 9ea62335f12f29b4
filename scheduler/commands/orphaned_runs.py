"""Outcomes of runs whose process died.

A sweep holds its host's lock from before its first document until after its last. So a run without a last document
whose lock is free was interrupted. Without an undo record of its host, the host is restored.
"""

import logging
from collections.abc import Mapping, Sequence

from scheduler import places
from scheduler.commands.observation_recorder import is_observing, remove_lock
from scheduler.errors import HostBusy, JournalError, StoreError
from scheduler.run.journal import HostLock, UndoJournal
from scheduler.store.run_entries import RunEntry
from scheduler.store.run_store import RunStore
from scheduler.store.unfinished_runs import add_run_outcome

log = logging.getLogger(__name__)


def close_orphaned_runs(restored_at: Mapping[str, float]) -> tuple[str, ...]:
    """Record the outcome of interrupted runs whose host is restored; return their ids.

    An unknown outcome is only logged: a problem with results must not look like a problem with a host.

    Args:
        restored_at: Host id to the time of its restore by this process, seconds since 1970.
    """
    path = places.store_path()
    try:
        with RunStore(path, read_only=True) as store:  # the next sweep handles a damaged file
            rows = store.unfinished()
        if not rows:
            return ()
        with RunStore(path) as store:
            hosts = dict.fromkeys(row.host_id for row in rows)
            return tuple(run_id for host_id in hosts for run_id in _close_runs_of_host(store, host_id, restored_at))
    except StoreError as error:
        log.warning("cannot record the state of the hosts in the store: %s", error)
        return ()


def close_earlier_runs(store: RunStore, host_id: str, run_id: str, restored_unix_s: float) -> None:
    """Record the outcome of the runs before `run_id` on this host.

    The caller holds the host's lock, and no undo record is left.

    Args:
        store: The store of runs.
        host_id: The host's identity.
        run_id: Id of the new run.
        restored_unix_s: Time of the restore, seconds since 1970; 0 when nothing was restored.
    """
    try:
        rows = [row for row in store.unfinished() if row.host_id == host_id and row.run_id != run_id]
    except StoreError as error:
        log.warning("cannot record the end of earlier runs in the store: %s", error)
    else:
        _close_runs(store, rows, restored_unix_s, restored=True)


def close_dismissed_runs(host_id: str) -> None:
    """Record that a host was not restored, in its runs without a last document.

    The host's undo record was quarantined. The caller holds the host's lock.
    """
    path = places.store_path()
    try:
        with RunStore(path, read_only=True) as store:
            rows = [row for row in store.unfinished() if row.host_id == host_id]
        if rows:
            with RunStore(path) as store:
                _close_runs(store, rows, 0.0, restored=False)
    except StoreError as error:
        log.warning("cannot record a quarantined undo record in the store: %s", error)


def _close_runs_of_host(store: RunStore, host_id: str, restored_at: Mapping[str, float]) -> tuple[str, ...]:
    folder = places.journal_dir()
    try:
        with HostLock(folder, host_id):
            if UndoJournal(folder, host_id).files():
                return ()  # a restore is still pending
            mine = [row for row in store.unfinished() if row.host_id == host_id]  # a run may have ended since
            return _close_runs(store, mine, restored_at.get(host_id, 0.0), restored=True)
    except (HostBusy, JournalError) as error:
        log.info("cannot check the runs of %s now: %s", host_id, error)
        return ()


def _close_runs(
    store: RunStore, rows: Sequence[RunEntry], restored_unix_s: float, *, restored: bool
) -> tuple[str, ...]:
    # Only a restore changes the outcome that a run recorded itself.
    due = [row for row in rows if (row.outcome is None or restored_unix_s) and not is_observing(row)]
    closed = tuple(row for row in due if _close_run(store, row.run_id, restored_unix_s, restored=restored))
    for row in closed:
        if row.plan.observes:
            remove_lock(row.run_id)
    return tuple(row.run_id for row in closed)


def _close_run(store: RunStore, run_id: str, restored_unix_s: float, *, restored: bool) -> bool:
    try:
        return add_run_outcome(store, run_id, restored=restored, restored_unix_s=restored_unix_s)
    except StoreError as error:
        log.warning("cannot record the end of run %s: %s", run_id, error)
        return False
