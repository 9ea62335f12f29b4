"""Changes of stored runs by `domtune runs RUN`: name, tags, note and deletion."""

import argparse
import time
from collections.abc import Sequence

import msgspec

from scheduler import places
from scheduler.commands.stored_runs import resolve_run_id
from scheduler.errors import HostBusy, SpecError, StoreError
from scheduler.model.lock_owner import LockOwner
from scheduler.model.number_texts import format_duration
from scheduler.model.run_labels import RunLabels
from scheduler.run.journal import HostLock, UndoJournal
from scheduler.store.run_entries import RunEntry
from scheduler.store.run_removal import DELETED_KEPT_S
from scheduler.store.run_store import RunStore, open_store
from scheduler.translation import _

_DAY_S = 86_400.0


class RunChange(msgspec.Struct, frozen=True, kw_only=True):
    """Change of stored runs; None and False change nothing.

    Attributes:
        runs: Ids of the runs, or `last`.
        rename: New name; empty for the plan's name.
        tags: New tags.
        note: New note.
        delete: True to delete the runs; they can be undeleted for `DELETED_KEPT_S` seconds.
        undelete: True to undelete the runs.
    """

    runs: tuple[str, ...]
    rename: str | None = None
    tags: tuple[str, ...] | None = None
    note: str | None = None
    delete: bool = False
    undelete: bool = False

    @property
    def has_changes(self) -> bool:
        """True when anything is to be changed."""
        return self.delete or self.undelete or (self.rename, self.tags, self.note) != (None,) * 3

    def apply(self) -> list[RunEntry]:
        """Change all runs or none; return them as they are afterwards.

        Raises:
            SpecError, StoreError, HostBusy, JournalError: A run cannot be changed.
        """
        if not self.runs:
            raise SpecError("RUN", _("which run is to be changed?"), hint=_("'domtune runs' lists them."))
        with open_store(places.store_path()) as store:
            rows = [store.entry(resolve_run_id(store, run)) for run in self.runs]
            labels = [self._new_labels(row) for row in rows]
            for row in rows if self.delete else ():
                _refuse_to_delete(store, row)
            for row, labelled in zip(rows, labels, strict=True):
                self._write_labels(store, row, labelled)
            return [store.entry(row.run_id) for row in rows]

    def summary_lines(self, row: RunEntry) -> Sequence[str]:
        """Return the result of a change, for people."""
        if self.delete:
            back = f"for {format_duration(DELETED_KEPT_S)} 'domtune runs {row.run_id} --undelete' restores it"
            return (_("run {run_id} is deleted; {back}").format(run_id=row.run_id, back=back),)
        tags = _(", tags {tags}").format(tags=", ".join(row.tags)) if row.tags else ""
        return (
            _("run {run_id}: name {row}{tags}").format(run_id=row.run_id, row=row.name or "none", tags=tags),
            *row.note.splitlines(),
        )

    def _new_labels(self, row: RunEntry) -> RunLabels:
        return RunLabels(
            title=row.title if self.rename is None else self.rename.strip(),
            tags=row.tags if self.tags is None else self.tags,
            note=row.note if self.note is None else self.note.strip(),
        )

    def _write_labels(self, store: RunStore, row: RunEntry, labels: RunLabels) -> None:
        if labels != row.labels:
            store.set_labels(row.run_id, labels)
        if self.delete or self.undelete:
            now_unix_s = time.time()
            store.set_deleted(row.run_id, now_unix_s if self.delete else None)
            store.remove_deleted(now_unix_s - DELETED_KEPT_S)


def parse_run_change(arguments: argparse.Namespace) -> RunChange:
    """Return the requested change.

    Raises:
        SpecError: The options contradict each other.
    """
    if arguments.delete and arguments.undelete:
        raise SpecError(
            "--delete",
            _("a run cannot be deleted and undeleted at the same time"),
            hint=_("Use one of the two options."),
        )
    tags = None if arguments.tag is None else tuple(dict.fromkeys(tag.strip() for tag in arguments.tag))
    return RunChange(
        runs=tuple(arguments.run),
        rename=arguments.rename,
        tags=tags,
        note=arguments.note,
        delete=arguments.delete,
        undelete=arguments.undelete,
    )


def _refuse_to_delete(store: RunStore, row: RunEntry) -> None:
    """Refuse to delete a run that is being measured or needed for a restore.

    Raises:
        HostBusy: The run is being measured.
        StoreError: A restore of the run's host is pending.
    """
    if row.origin is not None or (row.restored and row.outcome is not None):
        return
    host, folder = row.host_id, places.journal_dir()
    newest = store.newest(host) or row.run_id
    try:
        with HostLock(folder, host):
            due = bool(UndoJournal(folder, host).files())
    except HostBusy as error:
        if newest != row.run_id or error.holder not in (LockOwner.SWEEP, LockOwner.UNKNOWN):
            return  # another run, or no sweep, holds the host
        raise HostBusy(
            _("run {run_id} is being measured and cannot be deleted").format(run_id=row.run_id),
            hint=_("Stop it first."),
        ) from error
    if due:
        text = _("run {run_id} cannot be deleted: {host} is still to be restored").format(
            run_id=row.run_id, host=row.plan.host_title or host
        )
        raise StoreError(text, hint=_("Put the host back first: 'domtune restore'."))
