"""`domtune revert`: revert the split that `apply` set."""

import argparse
import contextlib
import os
from pathlib import Path
from urllib.parse import urlsplit

from scheduler import places
from scheduler.commands.applied_listing import print_applied
from scheduler.commands.applied_splits import since_words
from scheduler.commands.command_output import print_answer
from scheduler.commands.host_changes import (
    Params,
    apply_error,
    apply_words,
    hint_at_revert,
    list_changes,
    refuse_pending_restore,
)
from scheduler.commands.pending_restores import reopen_recorded_host
from scheduler.commands.probe_command import read_host_properties
from scheduler.errors import ForeignValue, JournalError, SpecError
from scheduler.files import read_regular
from scheduler.hosts.host_registry import is_obsolete
from scheduler.model.command_answers import ApplyResult
from scheduler.model.lock_owner import LockOwner
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.model.urls import redact_url
from scheduler.run.foreign_values import is_foreign
from scheduler.run.journal import HostLock, UndoJournal, UndoRecord, list_pending_records
from scheduler.run.lease import restore_from_record
from scheduler.run.record_folder import host_ids
from scheduler.run.restore import params_words, unique_present
from scheduler.translation import _

_STATE_BYTES = 100_000  # a state file has a line per domain and a few more


def revert(arguments: argparse.Namespace) -> int:
    """Revert a split, preview the revert, or list the hosts with an applied split."""
    if arguments.list:
        return print_applied(as_json=arguments.json)
    return print_answer(
        lambda: _revert_split(arguments.url, dry_run=arguments.dry_run, force=arguments.force),
        apply_words,
        apply_error,
        as_json=arguments.json,
    )


def _revert_split(url: str, *, dry_run: bool, force: bool = False) -> ApplyResult:
    host_id = _find_host_id(url)
    with HostLock(places.journal_dir(), host_id, LockOwner.APPLY):
        record = UndoJournal(places.applied_dir(), host_id)
        undo = record.read()
        if undo is None:
            raise SpecError(
                "host",
                _("no split is applied to {redact_url}").format(redact_url=redact_url(url)),
                hint=_("'domtune apply RUN' applies a split."),
            )
        refuse_pending_restore(host_id)
        before = _read_current(undo)
        if is_obsolete(undo.host_url, undo.context) or before == dict(undo.originals):
            return _dismiss_lost(url, undo, record, dry_run=dry_run)
        if not force:
            _refuse_foreign_values(undo, before)
        if dry_run:
            return ApplyResult(host=url, changes=list_changes(before, undo.originals, {}))
        with hint_at_revert():
            restore_from_record(undo, record, reopen_recorded_host, force=force)
        after = _read_current(undo)
    return ApplyResult(host=url, changes=list_changes(before, undo.originals, after), done=True)


def _refuse_foreign_values(undo: UndoRecord, current: Params) -> None:
    """Raise ForeignValue when another program has changed the split since `apply`.

    Reverting below the other program would break its own undo: rollback.sh of a bundle would set our split again.
    """
    for domain, params in current.items():
        ours, original = undo.ours.get(domain, ()), undo.originals.get(domain)
        if params is None or not ours or not is_foreign(params, unique_present(*ours, original)):
            continue
        bundles = " and ".join(list_applied_bundles(undo.host_url))
        cause = (
            _("the bundle {bundles} was applied").format(bundles=bundles)
            if bundles
            else _("another program changed it since")
        )
        raise ForeignValue(
            _(
                "{domain} reads {words}, but 'domtune apply' set {words_2} over {params_words}: "
                "{cause}. Nothing was changed"
            ).format(
                domain=domain,
                words=params.words,
                words_2=ours[-1].words,
                params_words=params_words(original),
                cause=cause,
            ),
            hint=_(
                "If apply.sh of a bundle set it, run rollback.sh of that bundle first, then revert "
                "again. To restore the original settings anyway: 'domtune revert {redact_url} "
                "--force'."
            ).format(redact_url=redact_url(undo.host_url)),
        )


def list_applied_bundles(url: str) -> list[str]:
    """Return the bundles that are applied on this computer, by their state files.

    Args:
        url: URL of the host; the state files of another computer cannot be read, so it has none.
    """
    if urlsplit(url).netloc:
        return []
    private = os.environ.get("XDG_RUNTIME_DIR", "")
    usual = "/run" if os.geteuid() == 0 or not private else private
    folder = Path(os.environ.get(places.BUNDLE_FOLDER) or Path(usual, "domtune"))  # as parts/common.sh
    found: list[str] = []
    for path in sorted(folder.glob("bundle-*.state")):
        with contextlib.suppress(OSError):
            lines = read_regular(path, _STATE_BYTES).decode(errors="replace").splitlines()
            found += ["".join(filter(str.isprintable, line)) for line in lines if line.startswith("from ")]
    return found


def _dismiss_lost(url: str, undo: UndoRecord, record: UndoJournal, *, dry_run: bool) -> ApplyResult:
    """Remove the record of a lost split; the current values belong to other programs."""
    if not dry_run:
        with hint_at_revert():
            restore_from_record(undo, record, reopen_recorded_host, force=True)
    remark = _(
        "the split applied to {redact_url}{since_words} is not set any more: the host was "
        "restarted, or another program reverted the split. Nothing is left to restore, and "
        "the record "
    ).format(redact_url=redact_url(undo.host_url), since_words=since_words(undo.armed_unix_s)) + (
        _("would be removed") if dry_run else _("is removed")
    )
    return ApplyResult(host=url, remark=remark, done=not dry_run)


def _find_host_id(url: str) -> str:
    """Return the id of the host at a URL, from its record if there is one.

    Opening the host may need the names of its domains.
    """
    known = [
        undo for host_id in host_ids(list_pending_records(places.applied_dir())) if (undo := _read_record(host_id))
    ]
    found = [undo.host_id for undo in known if undo.host_url == url]
    return found[0] if len(found) == 1 else read_host_properties(url).host_id


def _read_record(host_id: str) -> UndoRecord | None:
    """Return a record without its host's lock; None for an unusable record."""
    try:
        return UndoJournal(places.applied_dir(), host_id).record()
    except JournalError:
        return None


def _read_current(undo: UndoRecord) -> dict[DomainId, SchedParams | None]:
    host = reopen_recorded_host(undo)
    try:
        return {slot: host.read(slot) for slot in undo.originals}
    finally:
        host.close()
