"""Recorder of an observation, which is a run in the store like a sweep.

While it records, it holds a lock of its own. A run without an end whose lock is free was interrupted.
"""

import contextlib
import logging
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from scheduler import places
from scheduler.errors import HostBusy, JournalError, StoreError
from scheduler.model.documents import Document, RunOutcome, RunStopped
from scheduler.model.lock_owner import LockOwner
from scheduler.model.observation_documents import (
    FollowDone,
    FollowStarted,
    ObservationLine,
    ObservationStarted,
    WatchResult,
)
from scheduler.model.run_end import outcome_of
from scheduler.model.terminal_text import replace_controls
from scheduler.run.journal import HostLock
from scheduler.run.lock_listing import list_held_hosts
from scheduler.store.observation_summary import summarise_observation
from scheduler.store.run_entries import AnswerSummary, RunEntry
from scheduler.store.run_store import RunStore, new_run_id, open_store
from scheduler.translation import _

log = logging.getLogger(__name__)


def is_observing(entry: RunEntry) -> bool:
    """Return True for an observation whose process still records."""
    if not entry.plan.observes or entry.outcome is not None:
        return False
    try:
        with HostLock(_lock_folder(), entry.run_id):
            return False
    except HostBusy:
        return True
    except JournalError as error:
        log.warning("cannot check if run %s is still active: %s", entry.run_id, error)
        return True


def find_recorded_run(pid: int) -> str:
    """Return the id of the run that a process records; empty without one."""
    return next((held.host_id for held in list_held_hosts(_lock_folder()) if held.pid == pid), "")


class ObservationRecorder:
    """Recorder that stores each line of an observation.

    A full disk ends the recording, not the observation: what follows a host must not depend on the store.

    Args:
        holder: Purpose of the process, shown in its lock.

    Attributes:
        run_id: Id of the run.
    """

    def __init__(self, holder: LockOwner = LockOwner.UNKNOWN) -> None:
        self.run_id = new_run_id()
        self._lock = HostLock(_lock_folder(), self.run_id, holder)
        self._stack = contextlib.ExitStack()
        self._store: RunStore | None = None
        self._documents: list[Document] = []  # without windows, which the answer does not need
        self._t_s, self._follows = 0.0, False

    def __enter__(self) -> Self:
        """Use as a context; nothing is opened before the first line."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Record the end of watching that no last line reported, and close the store.

        The end of following without a last line is recorded by the process that restores the host.
        """
        if self._store is not None and not self._follows:
            reason = str(error) if error is not None else _("ended without a result")
            self._stop(RunOutcome.FAILED, restored=True, reason=reason)
        self._stack.close()

    def emit(self, line: ObservationLine) -> None:
        """Store one line; the first line begins the run."""
        if isinstance(line, ObservationStarted):
            self._begin(msgspec.structs.replace(line, wall_unix_s=time.time()))
        elif self._store is not None:
            self._t_s = line.t_s
            self._append(line)

    def finish(self, last: WatchResult | FollowDone) -> None:
        """Store the last line and the outcome; drop a run that never had its host."""
        if self._store is None:
            return
        if isinstance(last, FollowDone) and last.busy:
            with contextlib.suppress(StoreError):
                self._store.drop(self.run_id)
            self._store = None
            return
        self.emit(last)
        outcome, restored, reason = outcome_of(last)
        self._stop(outcome, restored=restored, reason=reason)

    def _begin(self, started: ObservationStarted) -> None:
        self._follows = isinstance(started, FollowStarted)
        try:
            self._stack.enter_context(self._lock)
            self._stack.callback(remove_lock, self.run_id)
            self._store = self._stack.enter_context(open_store(places.store_path()))
        except (StoreError, JournalError, HostBusy) as error:
            self._give_up(error)
            return
        self._append(started)

    def _stop(self, outcome: RunOutcome, *, restored: bool, reason: str) -> None:
        stopped = RunStopped(t_s=self._t_s, outcome=outcome, restored=restored, reason=reason)
        self._append(stopped, summarise_observation([*self._documents, stopped]))
        self._store = None

    def _append(self, document: Document, answer: AnswerSummary | None = None) -> None:
        if self._store is None:
            return
        if isinstance(document, WatchResult | FollowDone):
            self._documents.append(document)
        try:
            self._store.append(self.run_id, document, answer)
        except StoreError as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self._store = None
        log.warning("the observation is not kept any more: %s", error)
        with contextlib.suppress(OSError):
            print(
                replace_controls(_("This observation is not kept any more: {error}").format(error=error)),
                file=sys.stderr,
            )


def _lock_folder() -> Path:
    return places.state_dir() / "observations"


def remove_lock(run_id: str) -> None:
    """Remove the lock file of an observation that has ended."""
    with contextlib.suppress(OSError):
        (_lock_folder() / f"{run_id}.lock").unlink()
