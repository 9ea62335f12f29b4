"""`domtune follow --list` and `--stop HOST`: what this account follows, from wherever it was begun."""

import contextlib
import os
import select
import signal
import time
from collections.abc import Sequence

from scheduler import places
from scheduler.commands.answers import print_json, print_lines
from scheduler.commands.exits import Exit
from scheduler.commands.follow_detaching import last_lines, lines_of
from scheduler.commands.follow_tell import done_words
from scheduler.errors import HostError, JournalError, SpecError
from scheduler.model.following import FollowBegan, FollowDone, Followed, FollowedHosts, FollowEnd, FollowWindow
from scheduler.model.holder import Holder
from scheduler.model.number_texts import duration
from scheduler.model.urls import shown
from scheduler.run.holders import Held, holders
from scheduler.run.journal import Journal, Undo

_STOP_S = 180.0  # a slow host is waited for; by then its guard would have put it back
_LOOK_S = 0.2


def listed(*, as_json: bool) -> int:
    """Say which hosts are followed, and how that is going; touches nothing."""
    hosts = tuple(map(_told, _followed()))
    if as_json:
        print_json(FollowedHosts(hosts=hosts))
    elif hosts:
        print_lines(*(line for host in hosts for line in _words(host)))
    else:
        print_lines("No host is followed by this account.")
    return Exit.DONE


def stop(host: str, *, as_json: bool) -> int:
    """End it, wait until the host is given back, and say whether it was; return the exit code.

    Raises:
        SpecError: Nobody follows that host.
        HostError: What follows it does not end.
    """
    held = _find(host)
    _end(held)
    done = _done(held)
    if as_json:
        print_json(done)
    else:
        print_lines(*done_words(done))
    return Exit.DONE if done.restored else Exit.NOT_RESTORED


def _followed() -> list[Held]:
    return [held for held in holders(places.journal_dir()) if held.holder is Holder.FOLLOW]


def _find(host: str) -> Held:
    """Return who follows a host, named by its id or its URL."""
    found = _followed()
    for held in found:
        if host in (held.host_id, _told(held).host):
            return held
    known = ", ".join(held.host_id for held in found) or "none"
    raise SpecError("--stop", f"{shown(host)} is not followed by this account", hint=f"Followed: {known}.")


def _end(held: Held) -> None:
    """Tell the process to give back, and wait until it is gone."""
    try:
        process = os.pidfd_open(held.pid)
    except OSError:  # it has ended since
        return
    try:
        if held not in _followed():  # else the number may be another process's by now
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


def _done(held: Held) -> FollowDone:
    """Return how it ended: its own last word where that is kept, else what its record says."""
    path = lines_of(held.pid)
    last = last_lines(path)[-1:] if path is not None else []
    if last and isinstance(last[0], FollowDone):
        return last[0]
    back = _is_back(held.host_id)
    return FollowDone(host=held.host_id, end=FollowEnd.USER, reason="it was told to end", restored=back)


def _is_back(host_id: str) -> bool:
    """Wait a little for whoever puts it back in its stead; return whether nothing is due any more."""
    journal = Journal(places.journal_dir(), host_id)
    deadline_s = time.monotonic() + _STOP_S
    while journal.files() and any(held.host_id == host_id for held in holders(places.journal_dir())):
        if time.monotonic() > deadline_s:
            break
        select.select([], [], [], _LOOK_S)
    return not journal.files()


def _told(held: Held) -> Followed:
    undo = _record(held.host_id)
    path = lines_of(held.pid)
    lines = last_lines(path) if path is not None else []
    began = next((line for line in lines if isinstance(line, FollowBegan)), None)
    window = next((line for line in reversed(lines) if isinstance(line, FollowWindow)), None)
    return Followed(
        host=undo.host_url if undo is not None else began.host if began is not None else "",
        host_id=held.host_id,
        pid=held.pid,
        changed_unix_s=undo.armed_unix_s if undo is not None else 0.0,
        split=window.split if window is not None else "",
        left_s=max(0.0, began.for_s - window.t_s) if began is not None and window is not None else None,
        lines=str(path) if path is not None else "",
    )


def _record(host_id: str) -> Undo | None:
    with contextlib.suppress(JournalError):
        return Journal(places.journal_dir(), host_id).record()
    return None


def _words(host: Followed) -> Sequence[str]:
    since = time.strftime(" since %Y-%m-%d %H:%M", time.localtime(host.changed_unix_s)) if host.changed_unix_s else ""
    name = f"{shown(host.host)} ({host.host_id})" if host.host else host.host_id
    state = f"{host.split} is set" if host.split else "no other split was set yet" if not since else "splits are set"
    left = "" if host.left_s is None else f", {duration(host.left_s)} left"
    where = f"  lines: {host.lines}" if host.lines else "  its lines are where it was begun"
    return f"{name}: followed by process {host.pid}{since}; {state}{left}", where
