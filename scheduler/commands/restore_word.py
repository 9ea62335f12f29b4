"""`domtune restore`: put back hosts that a broken sweep left changed."""

import argparse
import sys
import time

import msgspec

from scheduler import places
from scheduler.commands.answers import answered, print_json, print_lines
from scheduler.commands.applied import applied_hosts, applied_line
from scheduler.commands.exits import Exit
from scheduler.commands.restoring import blank, list_armed, restore_all
from scheduler.errors import JournalError, SchedulerError, SpecError
from scheduler.hosts.registry import standing_here
from scheduler.model.probe import Forgotten, ForgottenRecord, Restored, RestoreItem
from scheduler.model.urls import shown
from scheduler.run.journal import MOST_BYTES

_STANDING = (
    "Control groups of DomTune are on this computer. One of these made them:",
    "  - an applied split; 'domtune revert' reverts the split",
    "  - the helper domtune-cgroups, for sweeps without root; 'sudo domtune-cgroups remove' removes them",
    "  - a sweep of another account or DOMTUNE_HOME that runs, or was interrupted",
)


def restore(arguments: argparse.Namespace) -> int:
    """Restore, list or forget; exit code 0 only when nothing is left to restore."""
    if arguments.forget:
        return _forget(arguments.forget, as_json=arguments.json)
    if arguments.copy and not arguments.only:
        raise SpecError("--copy", "it is the copy of one host's record", hint="Name the host with --only.")
    copy = sys.stdin.buffer.read(MOST_BYTES) if arguments.copy else b""
    answer = _with_applied(
        list_armed() if arguments.list else restore_all(force=arguments.force, only=arguments.only, copy=copy)
    )
    if arguments.json:
        print_json(answer)
    else:
        print_lines(*_words(answer))
    return Exit.DONE if answer.clean else Exit.NOT_RESTORED


def refused(arguments: argparse.Namespace, error: SchedulerError) -> Restored | Forgotten:
    """Return the object for what could not be done at all: nothing is known to be clean."""
    if arguments.forget:
        return _refusal(error)
    return Restored(clean=False, items=(blank(error),))


def _with_applied(answer: Restored) -> Restored:
    """Add what stays, since somebody wanted it; that it cannot be told is no reason to fail."""
    try:
        return msgspec.structs.replace(answer, applied=applied_hosts())
    except JournalError as error:
        return msgspec.structs.replace(answer, applied=(blank(error),))


def _forget(host: str, *, as_json: bool) -> int:
    from scheduler.commands.forgetting import forget, found

    declined = False

    def act() -> Forgotten:
        nonlocal declined
        look = found(host)
        declined = not as_json and sys.stdin.isatty() and sys.stdout.isatty() and not _agreed(look)
        return look if declined else forget(look.host_id)

    code = answered(act, _forgotten_words, _refusal, as_json=as_json)
    return Exit.ABORTED if declined else code


def _agreed(look: Forgotten) -> bool:
    """Ask a person at a terminal; whoever is not at one has been asked by having to write `--forget`."""
    print_lines(*_record_words(look), "Nothing of this will be restored.")
    try:
        return input("Keep it aside and forget it? Type yes: ").strip().lower() == "yes"
    except EOFError:
        return False


def _refusal(error: SchedulerError) -> Forgotten:
    return Forgotten(error=str(error), hint=error.hint)


def _words(answer: Restored) -> list[str]:
    applied = [applied_line(item) for item in answer.applied]
    if answer.items:
        return [*(line for item in answer.items for line in item_words(item)), *applied]
    standing = standing_here()
    nothing = f"Nothing to restore: no undo record is in {places.journal_dir()}."
    return [nothing, *applied, *_standing_words(standing)]


def _standing_words(standing: tuple[str, ...]) -> list[str]:
    return [*_STANDING, *(f"  {line}" for line in standing)] if standing else []


def item_words(item: RestoreItem) -> list[str]:
    """Return a record as lines for people."""
    name = f"{shown(item.host) or 'a host'} ({item.host_id})" if item.host_id else "undo records"
    return [f"{name}: {item.state} - {item.text}{_when(item.armed_unix_s)}", *_originals(item)]


def _forgotten_words(answer: Forgotten) -> list[str]:
    if not answer.done:
        return ["Nothing was forgotten."]
    kept = [f"Kept as {record.kept_as}" for record in answer.records]
    return [*_record_words(answer), *kept, "Nothing was restored: what it says is now yours to look after."]


def _record_words(answer: Forgotten) -> list[str]:
    lines: list[str] = []
    for record in answer.records:
        lines += [f"{record.text}{_when(record.armed_unix_s)}", *_originals(record)]
    return [*lines, *_standing_words(answer.standing)]


def _originals(told: RestoreItem | ForgottenRecord) -> list[str]:
    return [f"  {domain}: {original}" for domain, original in told.would_write.items()]


def _when(armed_unix_s: float) -> str:
    """Return when the host was changed, if that is known and a time that a calendar has."""
    try:
        return time.strftime(" (changed %Y-%m-%d %H:%M)", time.localtime(armed_unix_s)) if armed_unix_s else ""
    except (OverflowError, ValueError, OSError):
        return ""
