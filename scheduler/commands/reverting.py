"""`domtune revert`: take back what `apply` set, say what that would be, or name the hosts with an applied split."""

import argparse

from scheduler import places
from scheduler.commands.answers import answered
from scheduler.commands.applied import since
from scheduler.commands.applied_listing import told
from scheduler.commands.host_changes import changes_of, naming_revert, refusal, refuse_broken, words_of
from scheduler.commands.probe_word import facts_of
from scheduler.commands.restoring import reopen
from scheduler.errors import JournalError, SpecError
from scheduler.hosts.registry import outlived_here
from scheduler.model.holder import Holder
from scheduler.model.params import SchedParams
from scheduler.model.probe import Applied
from scheduler.model.split import DomainId
from scheduler.model.urls import shown
from scheduler.run.journal import HostLock, Journal, Undo, armed
from scheduler.run.lease import DOMAINS, restore
from scheduler.run.records import host_ids


def revert(arguments: argparse.Namespace) -> int:
    """Put back what was there before `apply`, or say what that would be, or on which hosts something is applied."""
    if arguments.list:
        return told(as_json=arguments.json)
    return answered(
        lambda: _revert(arguments.url, dry_run=arguments.dry_run), words_of, refusal, as_json=arguments.json
    )


def _revert(url: str, *, dry_run: bool) -> Applied:
    host_id = _host_id(url)
    with HostLock(places.journal_dir(), host_id, Holder.APPLY):
        record = Journal(places.applied_dir(), host_id)
        undo = record.read()
        if undo is None:
            raise SpecError("host", f"nothing was applied to {shown(url)}", hint="'domtune apply RUN' applies a split.")
        refuse_broken(host_id)
        before = _now(undo)
        if outlived_here(undo.host_url, undo.context) or before == dict(undo.originals):
            return _forget_lost(url, undo, record, dry_run=dry_run)
        if dry_run:
            return Applied(host=url, changes=changes_of(before, undo.originals, {}))
        with naming_revert():
            restore(undo, record, reopen)
        after = _now(undo)
    return Applied(host=url, changes=changes_of(before, undo.originals, after), done=True)


def _forget_lost(url: str, undo: Undo, record: Journal, *, dry_run: bool) -> Applied:
    """Drop the record of a split of which nothing is left; what stands there now belongs to others."""
    if not dry_run:
        with naming_revert():
            restore(undo, record, reopen)
    remark = (
        f"nothing is left of the split that was applied to {shown(undo.host_url)}{since(undo.armed_unix_s)}: the host "
        "was started anew, or somebody took it away; there is nothing to restore, and its record "
        + ("would be dropped" if dry_run else "is dropped")
    )
    return Applied(host=url, remark=remark, done=not dry_run)


def _host_id(url: str) -> str:
    """Return the id of the host at a URL: from its record, since a look may ask which of several domains is meant."""
    known = [undo for host_id in host_ids(armed(places.applied_dir())) if (undo := _peek(host_id))]
    found = [undo.host_id for undo in known if undo.host_url == url]
    return found[0] if len(found) == 1 else facts_of(url).host_id


def _peek(host_id: str) -> Undo | None:
    """Return a record without its host's lock; None for one that cannot be used."""
    try:
        return Journal(places.applied_dir(), host_id).record()
    except JournalError:
        return None


def _now(undo: Undo) -> dict[DomainId, SchedParams | None]:
    host = reopen(undo)
    try:
        return {domain: host.read(domain) for domain in DOMAINS}
    finally:
        host.close()
