"""`domtune follow --list` and `--stop HOST`: what this account follows, from wherever it was begun."""

import contextlib
import os
import select
import signal
import time
from collections.abc import Sequence

from scheduler import places
from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.follow_detached import find_lines_file, read_last_lines
from scheduler.commands.follow_printer import done_words
from scheduler.errors import HostError, JournalError, SpecError
from scheduler.model.follow_documents import (
    FollowDone,
    FollowedHost,
    FollowedHosts,
    FollowEnd,
    FollowStarted,
    FollowWindow,
)
from scheduler.model.lock_owner import LockOwner
from scheduler.model.number_texts import format_duration
from scheduler.model.urls import redact_url
from scheduler.run.journal import UndoJournal, UndoRecord
from scheduler.run.lock_listing import HeldHost, list_held_hosts

_STOP_S = 180.0  # a slow host is waited for; by then its guard would have put it back
_LOOK_S = 0.2


def print_followed(*, as_json: bool) -> int:
    """Say which hosts are followed, and how that is going; touches nothing."""
    hosts = tuple(map(_describe_followed, _list_followed()))
    if as_json:
        print_json(FollowedHosts(hosts=hosts))
    elif hosts:
        print_lines(*(line for host in hosts for line in _followed_lines(host)))
    else:
        print_lines("No host is followed by this account.")
    return ExitCode.DONE


def stop_following(host: str, *, as_json: bool) -> int:
    """End it, wait until the host is given back, and say whether it was; return the exit code.

    Raises:
        SpecError: Nobody follows that host.
        HostError: What follows it does not end.
    """
    held = _find_followed(host)
    _end_process(held)
    done = _read_result(held)
    if as_json:
        print_json(done)
    else:
        print_lines(*done_words(done))
    return ExitCode.DONE if done.restored else ExitCode.NOT_RESTORED


def _list_followed() -> list[HeldHost]:
    return [held for held in list_held_hosts(places.journal_dir()) if held.holder is LockOwner.FOLLOW]


def _find_followed(host: str) -> HeldHost:
    """Return who follows a host, named by its id or its URL."""
    found = _list_followed()
    for held in found:
        if host in (held.host_id, _describe_followed(held).host):
            return held
    known = ", ".join(held.host_id for held in found) or "none"
    raise SpecError("--stop", f"{redact_url(host)} is not followed by this account", hint=f"Followed: {known}.")


def _end_process(held: HeldHost) -> None:
    """Tell the process to give back, and wait until it is gone."""
    try:
        process = os.pidfd_open(held.pid)
    except OSError:  # it has ended since
        return
    try:
        if held not in _list_followed():  # else the number may be another process's by now
            return
        signal.pidfd_send_signal(process, signal.SIGTERM)
        if not select.select([process], [], [], _STOP_S)[0]:
            raise HostError(
                f"process {held.pid} was told to give {held.host_id} back, and still runs after {_STOP_S:.0f} s",
                hint="Its guard or keeper restores the host once it sends no heartbeat; then 'domtune restore'.",
            )
    except PermissionError as error:
        raise HostError(f"process {held.pid} takes no signal from this account", hint="Stop it as its own.") from error
    finally:
        os.close(process)


def _read_result(held: HeldHost) -> FollowDone:
    """Return how it ended: its own last word where that is kept, else what its record says."""
    path = find_lines_file(held.pid)
    last = read_last_lines(path)[-1:] if path is not None else []
    if last and isinstance(last[0], FollowDone):
        return last[0]
    back = _is_restored(held.host_id)
    return FollowDone(host=held.host_id, end=FollowEnd.USER, reason="it was told to end", restored=back)


def _is_restored(host_id: str) -> bool:
    """Wait a little for whoever puts it back in its stead; return whether nothing is due any more."""
    journal = UndoJournal(places.journal_dir(), host_id)
    deadline_s = time.monotonic() + _STOP_S
    while journal.files() and any(held.host_id == host_id for held in list_held_hosts(places.journal_dir())):
        if time.monotonic() > deadline_s:
            break
        select.select([], [], [], _LOOK_S)
    return not journal.files()


def _describe_followed(held: HeldHost) -> FollowedHost:
    undo = _read_record(held.host_id)
    path = find_lines_file(held.pid)
    lines = read_last_lines(path) if path is not None else []
    began = next((line for line in lines if isinstance(line, FollowStarted)), None)
    window = next((line for line in reversed(lines) if isinstance(line, FollowWindow)), None)
    return FollowedHost(
        host=undo.host_url if undo is not None else began.host if began is not None else "",
        host_id=held.host_id,
        pid=held.pid,
        changed_unix_s=undo.armed_unix_s if undo is not None else 0.0,
        split=window.split if window is not None else "",
        left_s=max(0.0, began.for_s - window.t_s) if began is not None and window is not None else None,
        lines=str(path) if path is not None else "",
    )


def _read_record(host_id: str) -> UndoRecord | None:
    with contextlib.suppress(JournalError):
        return UndoJournal(places.journal_dir(), host_id).record()
    return None


def _followed_lines(host: FollowedHost) -> Sequence[str]:
    since = time.strftime(" since %Y-%m-%d %H:%M", time.localtime(host.changed_unix_s)) if host.changed_unix_s else ""
    name = f"{redact_url(host.host)} ({host.host_id})" if host.host else host.host_id
    state = f"{host.split} is set" if host.split else "no other split was set yet" if not since else "splits are set"
    left = "" if host.left_s is None else f", {format_duration(host.left_s)} left"
    where = f"  lines: {host.lines}" if host.lines else "  its lines are where it was begun"
    return f"{name}: followed by process {host.pid}{since}; {state}{left}", where
