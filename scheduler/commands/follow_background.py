"""Background process of `follow`: `--detach`, `--list` and `--stop HOST`.

The detached process is `domtune follow --json --ask` in a session of its own. It writes its lines to a file instead of
a pipe. After the answer, it ignores the end of its input. Its lease, record, guards and signals are the usual ones.
This process reads the lines, asks for consent, and ends.
"""

import argparse
import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from scheduler import places
from scheduler.children import DEVNULL, ChildProgram, our_environment, python_module
from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.observation_output import done_words, question_words
from scheduler.commands.preflight import DESPITE_ERRORS_OPTION
from scheduler.errors import HostError, HostNotUsable, JournalError, SpecError
from scheduler.files import make_private_folder, open_regular
from scheduler.model.lock_owner import LockOwner
from scheduler.model.number_texts import format_duration
from scheduler.model.observation_documents import (
    FollowDone,
    FollowedHost,
    FollowedHosts,
    FollowEnd,
    FollowLine,
    FollowStarted,
    ObservationWindow,
    decode_observation_line,
)
from scheduler.model.urls import is_simulated, redact_url
from scheduler.run.journal import UndoJournal, UndoRecord
from scheduler.run.lock_listing import HeldHost, list_held_hosts
from scheduler.waiting import wait_until

_LOOK_S = 300.0  # half a minute of counters, on a host whose login may take two minutes
_BEGIN_S = 180.0  # time to arm a guard, start the local guard, and finish a window
_LINE_POLL_S = 0.1
_KEPT_S = 30 * 86_400.0  # for how long the lines of ended runs are kept
_MOST_BYTES = 64 * 1024  # enough for the first and the last lines


def refuse_detach(arguments: argparse.Namespace) -> None:
    """Raise SpecError for options that a detached process cannot support."""
    if arguments.json:
        hint = "A program starts 'domtune follow --json --ask' in a session of its own, and reads its lines."
        raise SpecError("--detach", "is for people, who are asked and then leave", hint=hint)
    if is_simulated(arguments.url):
        raise SpecError(
            "--detach", "a simulated host ends with its process, so following cannot continue in the background"
        )


def start_detached(arguments: argparse.Namespace, agreed: Callable[[], bool]) -> int:
    """Start following, ask for consent, and leave the process running.

    Args:
        arguments: The parsed command line, already checked.
        agreed: Asks the person for consent.

    Returns:
        The exit code.
    """
    child, path = _start_process(arguments, _create_lines_file())
    goes_on = False
    try:
        began = _wait_for_line(child, path, 1, _LOOK_S)
        if not isinstance(began, FollowStarted):
            return _report_end(child, began)
        print_lines(*question_words(began))
        if not agreed():
            print_lines("Nothing was changed.")
            return ExitCode.ABORTED
        child.write(b"yes\n")  # a process that ended has the reason in its last line
        line = _wait_for_line(child, path, 2, _BEGIN_S)
        if line is None or isinstance(line, FollowDone):
            return _report_end(child, line)
        goes_on = True
    finally:
        _let_child_go(child, ends=not goes_on)
    print_lines(
        f"Following continues in the background as process {child.pid}. Its output is in {path}.",
        "'domtune follow --list' shows its state.",
        f"'domtune follow --stop {began.host_id}' stops it and restores the host. SIGTERM does the same.",
    )
    return ExitCode.DONE


def find_lines_file(pid: int) -> Path | None:
    """Return the file with the lines of a detached process; None without one."""
    return next(iter(sorted(_lines_folder().glob(f"*-{pid}.jsonl"), reverse=True)), None)


def read_last_lines(path: Path) -> list[FollowLine]:
    """Return the first line and the complete lines at the end; skip unreadable lines."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            first = file.readline(_MOST_BYTES)
            file.seek(max(file.tell(), path.stat().st_size - _MOST_BYTES))
            rest = file.read(_MOST_BYTES).splitlines()
    except OSError:
        return []
    return [line for line in map(_parse_line, (first, *rest)) if line is not None]


def _parse_line(line: bytes) -> FollowLine | None:
    try:
        reported = decode_observation_line(line)
    except msgspec.MsgspecError:
        return None
    return reported if isinstance(reported, FollowLine) else None


def _lines_folder() -> Path:
    return places.state_dir() / "follows"


def _create_lines_file() -> Path:
    """Create the file for the lines, and delete old files.

    Raises:
        HostNotUsable: The file cannot be created.
    """
    folder = _lines_folder()
    try:
        make_private_folder(folder)
        for old in folder.glob("*.jsonl"):
            if old.lstat().st_mtime < time.time() - _KEPT_S:
                old.unlink(missing_ok=True)
        path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}.{os.getpid()}"
        os.close(open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except OSError as error:
        text = f"cannot write the output of following to {folder}: {error.strerror}; nothing was started"
        hint = "Free disk space or set DOMTUNE_HOME to a folder that can be written."
        raise HostNotUsable(text, hint=hint) from error
    return path


def _start_process(arguments: argparse.Namespace, fresh: Path) -> tuple[ChildProgram, Path]:
    """Start the process; return it and the file with its lines, named after its id.

    Raises:
        HostNotUsable: The process cannot be started.
    """
    given = (
        ("--for", arguments.for_time),
        ("--range", arguments.range),
        ("--static", arguments.static),
        ("--account", "" if arguments.account is None else str(arguments.account)),
        ("--database", arguments.database),
        ("--io", arguments.io),
        ("--guest", arguments.guest),
        ("--notify", arguments.notify),
        ("--seed", "" if arguments.seed is None else str(arguments.seed)),
    )
    words = [f"{option}={value}" for option, value in given if value]
    words += [DESPITE_ERRORS_OPTION] if arguments.despite_errors else []
    try:
        with os.fdopen(open_regular(fresh, os.O_WRONLY | os.O_APPEND), "wb") as lines:
            command = python_module("scheduler", "follow", "--json", "--ask", "--detached", *words, "--", arguments.url)
            child = ChildProgram(command, our_environment(), outputs=(lines, DEVNULL))
        path = fresh.with_name(f"{fresh.name.partition('.')[0]}-{child.pid}.jsonl")
        return child, fresh.rename(path)
    except OSError as error:
        raise HostNotUsable(f"the background process does not start: {error.strerror}; nothing was changed") from error


def _wait_for_line(child: ChildProgram, path: Path, count: int, limit_s: float) -> FollowLine | None:
    """Wait for line number `count`, or the end of the process.

    Return that line, or the last one; None without a line.
    """
    seen: list[FollowLine] = []

    def there() -> bool:
        ended = child.poll() is not None
        seen[:] = read_last_lines(path)[:count]
        return ended or len(seen) >= count

    if not wait_until(there, limit_s, _LINE_POLL_S):
        raise HostError(
            f"the background process was silent for {limit_s:.0f} s, so DomTune ended it",
            hint="'domtune follow --list' and 'domtune restore --list' show the state of the host.",
        )
    return seen[-1] if seen else None


def _report_end(child: ChildProgram, line: FollowLine | None) -> int:
    """Print the end of a process that ended early; return its exit code."""
    code = child.wait()
    if isinstance(line, FollowDone):
        print_lines(*([line.error, line.hint] if line.error else done_words(line)))
    else:
        print_lines(f"The background process ended with exit code {code} and reported nothing.")
    return code if code > 0 else ExitCode.FAILED


def _let_child_go(child: ChildProgram, *, ends: bool) -> None:
    """Close the process's input, which without an answer is a refusal.

    With `ends`, also end the process, which restores the host.
    """
    child.close_input()
    if ends:
        with contextlib.suppress(OSError):
            child.terminate()
    child.abandon()


_STOP_S = 180.0  # long enough for a slow host, and for a guard to restore it
_POLL_S = 0.2


def print_followed(*, as_json: bool) -> int:
    """Print the followed hosts and their state; change nothing."""
    hosts = tuple(map(_describe_followed, _list_followed()))
    if as_json:
        print_json(FollowedHosts(hosts=hosts))
    elif hosts:
        print_lines(*(line for host in hosts for line in _followed_lines(host)))
    else:
        print_lines("This account follows no host.")
    return ExitCode.DONE


def stop_following(host: str, *, as_json: bool) -> int:
    """End following of a host, wait for the restore, and print its result.

    Args:
        host: Id or URL of the host.
        as_json: True to print one object.

    Returns:
        The exit code.

    Raises:
        SpecError: The host is not followed.
        HostError: The process that follows the host does not end.
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
    """Return the process that follows a host, named by its id or its URL."""
    found = _list_followed()
    for held in found:
        if host in (held.host_id, _describe_followed(held).host):
            return held
    known = ", ".join(held.host_id for held in found) or "none"
    raise SpecError("--stop", f"this account does not follow {redact_url(host)}", hint=f"Followed hosts: {known}.")


def _end_process(held: HeldHost) -> None:
    """Signal the process to restore its host, and wait until the process has ended."""
    try:
        process = os.pidfd_open(held.pid)
    except OSError:  # the process has ended since
        return
    try:
        if held not in _list_followed():  # otherwise the process id may be reused by now
            return
        signal.pidfd_send_signal(process, signal.SIGTERM)
        if not select.select([process], [], [], _STOP_S)[0]:
            raise HostError(
                f"process {held.pid} did not restore {held.host_id} within {_STOP_S:.0f} s and still runs",
                hint="The guard restores the host when the heartbeat stops. Then run 'domtune restore'.",
            )
    except PermissionError as error:
        raise HostError(
            f"this account may not stop process {held.pid}", hint="Stop the process from the account that started it."
        ) from error
    finally:
        os.close(process)


def _read_result(held: HeldHost) -> FollowDone:
    """Return the result of a follow, from its last line or its undo record."""
    path = find_lines_file(held.pid)
    last = read_last_lines(path)[-1:] if path is not None else []
    if last and isinstance(last[0], FollowDone):
        return last[0]
    back = _is_restored(held.host_id)
    return FollowDone(host=held.host_id, end=FollowEnd.USER, reason="it was stopped", restored=back)


def _is_restored(host_id: str) -> bool:
    """Wait for a guard that restores the host; return True when no restore is pending."""
    journal = UndoJournal(places.journal_dir(), host_id)
    deadline_s = time.monotonic() + _STOP_S
    while journal.files() and any(held.host_id == host_id for held in list_held_hosts(places.journal_dir())):
        if time.monotonic() > deadline_s:
            break
        select.select([], [], [], _POLL_S)
    return not journal.files()


def _describe_followed(held: HeldHost) -> FollowedHost:
    undo = _read_record(held.host_id)
    path = find_lines_file(held.pid)
    lines = read_last_lines(path) if path is not None else []
    began = next((line for line in lines if isinstance(line, FollowStarted)), None)
    window = next((line for line in reversed(lines) if isinstance(line, ObservationWindow)), None)
    return FollowedHost(
        host=undo.host_url if undo is not None else began.host if began is not None else "",
        host_id=held.host_id,
        pid=held.pid,
        changed_unix_s=undo.armed_unix_s if undo is not None else 0.0,
        split=window.split if window is not None else None,
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
    state = (
        f"{host.split.label} is set" if host.split else "no other split was set yet" if not since else "splits are set"
    )
    left = "" if host.left_s is None else f", {format_duration(host.left_s)} left"
    where = f"  lines: {host.lines}" if host.lines else "  its lines are where it was begun"
    return f"{name}: followed by process {host.pid}{since}; {state}{left}", where
