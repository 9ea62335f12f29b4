"""`domtune restore`: restore hosts that an interrupted sweep left changed."""

import argparse
import sys
import time

import msgspec

from scheduler import places
from scheduler.commands.applied_splits import applied_line, list_applied_hosts
from scheduler.commands.command_output import print_answer, print_json, print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.pending_restores import error_item, list_pending, restore_all
from scheduler.errors import JournalError, SchedulerError, SpecError
from scheduler.hosts.host_registry import existing_cgroups
from scheduler.model.command_answers import DismissedRecord, DismissResult, RestoreItem, RestoreResult
from scheduler.model.urls import redact_url
from scheduler.run.journal import MOST_BYTES
from scheduler.translation import _

_STANDING = (
    _("Control groups of DomTune are on this computer. One of these made them:"),
    _("  - an applied split; 'domtune revert' reverts the split"),
    _("  - the helper domtune-cgroups, for sweeps without root; 'sudo domtune-cgroups remove' removes them"),
    _("  - a sweep of another account or DOMTUNE_HOME that runs, or was interrupted"),
)


def restore(arguments: argparse.Namespace) -> int:
    """Restore, list or dismiss; return 0 only when no restore is pending."""
    if arguments.forget:
        return _dismiss_host(arguments.forget, as_json=arguments.json)
    if arguments.copy and not arguments.only:
        raise SpecError(
            "--copy", _("the file is a copy of the record of one host"), hint=_("Name the host with --only.")
        )
    copy = sys.stdin.buffer.read(MOST_BYTES) if arguments.copy else b""
    answer = _add_applied(
        list_pending() if arguments.list else restore_all(force=arguments.force, only=arguments.only, copy=copy)
    )
    if arguments.json:
        print_json(answer)
    else:
        print_lines(*_answer_lines(answer))
    return ExitCode.DONE if answer.clean else ExitCode.NOT_RESTORED


def error_answer(arguments: argparse.Namespace, error: SchedulerError) -> RestoreResult | DismissResult:
    """Return the object for a command that failed; no host counts as restored.

    Args:
        arguments: The parsed command line.
        error: The error.
    """
    if arguments.forget:
        return _dismiss_error(error)
    return RestoreResult(clean=False, items=(error_item(error),))


def _add_applied(answer: RestoreResult) -> RestoreResult:
    """Add the applied splits, which stay; an unreadable folder is a row, not an error."""
    try:
        return msgspec.structs.replace(answer, applied=list_applied_hosts())
    except JournalError as error:
        return msgspec.structs.replace(answer, applied=(error_item(error),))


def _dismiss_host(host: str, *, as_json: bool) -> int:
    from scheduler.commands.record_dismissal import dismiss_records, list_dismissable

    declined = False

    def act() -> DismissResult:
        nonlocal declined
        look = list_dismissable(host)
        declined = not as_json and sys.stdin.isatty() and sys.stdout.isatty() and not _ask_consent(look)
        return look if declined else dismiss_records(look.host_id)

    code = print_answer(act, _dismissed_words, _dismiss_error, as_json=as_json)
    return ExitCode.ABORTED if declined else code


def _ask_consent(look: DismissResult) -> bool:
    """Return True when the person at the terminal answers yes.

    Without a terminal, the option `--forget` is the consent.
    """
    print_lines(*_record_words(look), _("These settings will not be restored."))
    try:
        return input("Dismiss the undo record? Type yes: ").strip().lower() == "yes"
    except EOFError:
        return False


def _dismiss_error(error: SchedulerError) -> DismissResult:
    return DismissResult(error=str(error), hint=error.hint)


def _answer_lines(answer: RestoreResult) -> list[str]:
    applied = [applied_line(item) for item in answer.applied]
    if answer.items:
        return [*(line for item in answer.items for line in item_words(item)), *applied]
    standing = existing_cgroups()
    nothing = _("Nothing to restore: there is no undo record in {journal_dir}.").format(
        journal_dir=places.journal_dir()
    )
    return [nothing, *applied, *_groups_words(standing)]


def _groups_words(standing: tuple[str, ...]) -> list[str]:
    return [*_STANDING, *(f"  {line}" for line in standing)] if standing else []


def item_words(item: RestoreItem) -> list[str]:
    """Return a record as lines for people."""
    name = (
        _("{redact_url} ({host_id})").format(redact_url=redact_url(item.host) or _("a host"), host_id=item.host_id)
        if item.host_id
        else _("undo records")
    )
    return [f"{name}: {item.state} - {item.text}{_changed_at(item.armed_unix_s)}", *_original_lines(item)]


def _dismissed_words(answer: DismissResult) -> list[str]:
    if not answer.done:
        return [_("No record was dismissed.")]
    kept = [_("Kept as {kept_as}").format(kept_as=record.kept_as) for record in answer.records]
    return [*_record_words(answer), *kept, _("Nothing was restored. Check and restore these settings by hand.")]


def _record_words(answer: DismissResult) -> list[str]:
    lines: list[str] = []
    for record in answer.records:
        lines += [f"{record.text}{_changed_at(record.armed_unix_s)}", *_original_lines(record)]
    return [*lines, *_groups_words(answer.standing)]


def _original_lines(told: RestoreItem | DismissedRecord) -> list[str]:
    return [f"  {domain}: {original}" for domain, original in told.would_write.items()]


def _changed_at(armed_unix_s: float) -> str:
    """Return the time of the change as text; empty when unknown or impossible."""
    try:
        return time.strftime(" (changed %Y-%m-%d %H:%M)", time.localtime(armed_unix_s)) if armed_unix_s else ""
    except (OverflowError, ValueError, OSError):
        return ""
