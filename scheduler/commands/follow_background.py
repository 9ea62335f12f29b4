"""Background process of `follow`: `--detach`, `--list` and `--stop HOST`.

The detached process is `domtune follow --json --ask` in a session of its own, with this process as its first window.
This process asks for consent, sends the order to detach, and ends. Later windows connect by the socket of the run.
"""

import argparse
import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Sequence

import msgspec

from scheduler import places
from scheduler.children import ChildProgram, our_environment, python_module
from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.observation_output import done_words, question_words
from scheduler.commands.observation_recorder import find_recorded_run
from scheduler.commands.preflight import DESPITE_ERRORS_OPTION
from scheduler.errors import HostError, HostNotUsable, JournalError, SpecError, StoreError
from scheduler.model.codec import DetachRun, RunDetached, decode_detached, encode_line
from scheduler.model.documents import Document
from scheduler.model.host_kinds import is_simulated
from scheduler.model.lock_owner import LockOwner
from scheduler.model.number_texts import format_duration
from scheduler.model.observation_documents import (
    FollowDone,
    FollowedHost,
    FollowedHosts,
    FollowEnd,
    FollowLine,
    FollowMove,
    FollowStarted,
    ObservationWindow,
    decode_observation_line,
)
from scheduler.model.split import Split
from scheduler.model.urls import redact_url
from scheduler.run.journal import UndoJournal, UndoRecord
from scheduler.run.lock_listing import HeldHost, list_held_hosts
from scheduler.store.run_store import RunStore
from scheduler.translation import _

_LOOK_S = 300.0  # half a minute of counters, on a host whose login may take two minutes
_BEGIN_S = 180.0  # time to arm a guard, start the local guard, and finish a window
_DETACH_S = 30.0


def refuse_detach(arguments: argparse.Namespace) -> None:
    """Raise SpecError for options that a detached process cannot support."""
    if arguments.json:
        hint = _("A program starts 'domtune follow --json --ask' and sends the order to detach.")
        raise SpecError("--detach", _("is for people, who are asked and then leave"), hint=hint)
    if is_simulated(arguments.url):
        raise SpecError(
            "--detach", _("a simulated host ends with its process, so following cannot continue in the background")
        )


def start_detached(arguments: argparse.Namespace, agreed: Callable[[], bool]) -> int:
    """Start following, ask for consent, and leave the process running.

    Args:
        arguments: The parsed command line, already checked.
        agreed: Asks the person for consent.

    Returns:
        The exit code.

    Raises:
        HostNotUsable: The process cannot be started.
        HostError: The process was silent, or cannot continue in the background.
    """
    child = _start_process(arguments)
    goes_on = False
    try:
        began = _read_line(child, _LOOK_S)
        if not isinstance(began, FollowStarted):
            return _report_end(child, began)
        print_lines(*question_words(began))
        if not agreed():
            print_lines(_("Nothing was changed."))
            return ExitCode.ABORTED
        child.write(b"yes\n")  # a process that ended has the reason in its last line
        line = _read_line(child, _BEGIN_S)
        if line is not None and not isinstance(line, FollowDone):
            child.write(encode_line(DetachRun()))
            line = _read_detached(child)
        if not isinstance(line, RunDetached):
            return _report_end(child, line)
        if line.error:
            raise HostError(
                _("following cannot continue in the background: {error}; it is being stopped").format(error=line.error)
            )
        goes_on = True
    finally:
        _let_child_go(child, ends=not goes_on)
    print_lines(
        _("Following continues in the background as process {pid}. DomTune's window shows it.").format(pid=child.pid),
        _("'domtune follow --list' shows its state."),
        _("'domtune follow --stop {host_id}' stops it and restores the host. SIGTERM does the same.").format(
            host_id=began.host_id
        ),
    )
    return ExitCode.DONE


def _start_process(arguments: argparse.Namespace) -> ChildProgram:
    """Start the process.

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
    command = python_module("scheduler", "follow", "--json", "--ask", *words, "--", arguments.url)
    try:
        return ChildProgram(command, our_environment())
    except OSError as error:
        raise HostNotUsable(
            _("the background process does not start: {strerror}; nothing was changed").format(strerror=error.strerror)
        ) from error


def _read_line(child: ChildProgram, limit_s: float) -> FollowLine | RunDetached | None:
    """Return the next line of the process; None at its end.

    Args:
        child: The process.
        limit_s: Time limit, seconds.

    Raises:
        HostError: There is no line within the limit.
    """
    try:
        line = child.read_line(limit_s)
    except TimeoutError as error:
        raise HostError(
            _("the background process was silent for {limit_s:.0f} s, so DomTune ended it").format(limit_s=limit_s),
            hint=_("'domtune follow --list' and 'domtune restore --list' show the state of the host."),
        ) from error
    if line is None:
        return None
    with contextlib.suppress(msgspec.MsgspecError):
        reported = decode_detached(line) or decode_observation_line(line)
        if isinstance(reported, RunDetached | FollowLine):
            return reported
    raise HostError(_("the background process printed an unknown line, so DomTune ended it"))


def _read_detached(child: ChildProgram) -> FollowLine | RunDetached | None:
    """Return the answer to the order to detach, or the last line of the process."""
    while True:
        line = _read_line(child, _DETACH_S)
        if line is None or isinstance(line, RunDetached | FollowDone):
            return line


def _report_end(child: ChildProgram, line: FollowLine | RunDetached | None) -> int:
    """Print the end of a process that ended early; return its exit code."""
    code = child.wait()
    if isinstance(line, FollowDone):
        print_lines(*([line.error, line.hint] if line.error else done_words(line)))
    else:
        print_lines(_("The background process ended with exit code {code} and reported nothing.").format(code=code))
    return code if code > 0 else ExitCode.FAILED


def _let_child_go(child: ChildProgram, *, ends: bool) -> None:
    """Close the process's pipes, which without an answer is a refusal.

    With `ends`, also end the process, which restores the host.
    """
    child.close_pipes()
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
        print_lines(_("This account follows no host."))
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
    run_id = find_recorded_run(held.pid)
    _end_process(held)
    done = _read_result(held, run_id)
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
    raise SpecError(
        "--stop",
        _("this account does not follow {redact_url}").format(redact_url=redact_url(host)),
        hint=_("Followed hosts: {known}.").format(known=known),
    )


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
                _("process {pid} did not restore {host_id} within {stop_s:.0f} s and still runs").format(
                    pid=held.pid, host_id=held.host_id, stop_s=_STOP_S
                ),
                hint=_("The guard restores the host when the heartbeat stops. Then run 'domtune restore'."),
            )
    except PermissionError as error:
        raise HostError(
            _("this account may not stop process {pid}").format(pid=held.pid),
            hint=_("Stop the process from the account that started it."),
        ) from error
    finally:
        os.close(process)


def _read_result(held: HeldHost, run_id: str) -> FollowDone:
    """Return the result of a follow, from the stored run or its undo record."""
    done = next((line for line in _read_run(run_id) if isinstance(line, FollowDone)), None)
    if done is not None:
        return done
    back = _is_restored(held.host_id)
    return FollowDone(host=held.host_id, end=FollowEnd.USER, reason=_("it was stopped"), restored=back)


def _read_run(run_id: str) -> list[Document]:
    """Return the stored lines of a run; empty without a readable run."""
    if run_id:
        with contextlib.suppress(StoreError), RunStore(places.store_path(), read_only=True) as store:
            return list(store.documents(run_id))
    return []


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
    run_id = find_recorded_run(held.pid)
    lines = _read_run(run_id)
    began = next((line for line in lines if isinstance(line, FollowStarted)), None)
    splits = (_find_split(line) for line in reversed(lines))
    return FollowedHost(
        host=undo.host_url if undo is not None else began.host if began is not None else "",
        host_id=held.host_id,
        pid=held.pid,
        changed_unix_s=undo.armed_unix_s if undo is not None else 0.0,
        split=next((split for split in splits if split is not None), None),
        left_s=max(0.0, began.for_s - lines[-1].t_s) if began is not None else None,
        run=run_id,
    )


def _find_split(line: Document) -> Split | None:
    match line:
        case ObservationWindow():
            return line.split
        case FollowMove():
            return line.after
        case _:
            return None


def _read_record(host_id: str) -> UndoRecord | None:
    with contextlib.suppress(JournalError):
        return UndoJournal(places.journal_dir(), host_id).record()
    return None


def _followed_lines(host: FollowedHost) -> Sequence[str]:
    since = time.strftime(" since %Y-%m-%d %H:%M", time.localtime(host.changed_unix_s)) if host.changed_unix_s else ""
    name = f"{redact_url(host.host)} ({host.host_id})" if host.host else host.host_id
    state = (
        _("{label} is set").format(label=host.split.label)
        if host.split
        else _("no other split was set yet")
        if not since
        else _("splits are set")
    )
    left = "" if host.left_s is None else _(", {left_s} left").format(left_s=format_duration(host.left_s))
    shown = _("  'domtune runs {run}' shows its changes.").format(run=host.run) if host.run else ""
    return _("{name}: followed by process {pid}{since}; {state}{left}").format(
        name=name, pid=host.pid, since=since, state=state, left=left
    ), shown
