"""Confinement of a process that reads untrusted input.

The process has no rights, and limited memory, processes and files. As root, the process takes a free user id, an empty
root folder, and no capability. As an ordinary user, only the limits apply, and the process keeps that user's rights
(docs/explanation/security.md).
"""

import contextlib
import ctypes
import grp
import os
import pwd
import resource
import secrets
import signal
import struct
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from scheduler.translation import _

KEEP_ACCOUNT = -1
"""Value for "no other account", when the caller is an ordinary user."""

# User ids that systemd reserves for services without an entry in /etc/passwd (systemd, "Users, Groups, UIDs and GIDs").
_FIRST_UID, _LAST_UID = 61_184, 65_519
_TRIES = 64
_NAP_S = 0.02
_KILL_S = 2.0
_PROC = Path("/proc")
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38  # prctl(2)
_CAPSET_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3 (capget(2))
_LAST_CAPABILITY = 63


class ProcessLimits(NamedTuple):
    """Limits of a process.

    Attributes:
        memory_bytes: Address space, bytes.
        processes: Number of processes and threads of the account; applies only to an account of its own.
        files: Number of open descriptors.
    """

    memory_bytes: int
    processes: int
    files: int


class ConfinementFailed(OSError):
    """Error when the process still has a right that it should have lost."""


def choose_account() -> int:
    """Return an unused user id, without entry, group or process.

    `KEEP_ACCOUNT` is returned unless this process is root.

    Raises:
        ConfinementFailed: No free user id was found.
    """
    if os.geteuid() != 0:
        return KEEP_ACCOUNT
    running = {uid for _, uid in _list_processes()}
    for _unused in range(_TRIES):
        uid = _FIRST_UID + secrets.randbelow(_LAST_UID - _FIRST_UID + 1)
        if uid not in running and not _is_known(uid):
            return uid
    raise ConfinementFailed(_("this computer has no free user id between 61184 and 65519"))


def confine_process(uid: int, limits: ProcessLimits, parent: int) -> None:
    """Drop every right of this process for good, and verify it.

    Call it before the first thread starts.

    Args:
        uid: User and group id to take, from `choose_account`.
        limits: Limits of the process.
        parent: Process id of the parent; the kernel kills this process when the parent ends.

    Raises:
        OSError: A right could not be dropped: the process must end.
    """
    with Path("/proc/self/status").open() as status:
        _refuse_threads(status)
        if uid != KEEP_ACCOUNT:
            _enter_empty_folder()
            _drop_bounding_set()
        _set_limits(limits, own_account=uid != KEEP_ACCOUNT)
        if uid != KEEP_ACCOUNT:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        _drop_capabilities()
        _set_process_option(_PR_SET_NO_NEW_PRIVS, 1)
        _set_process_option(_PR_SET_DUMPABLE, 0)  # no process of the same account may read this process's memory
        _set_process_option(_PR_SET_PDEATHSIG, signal.SIGKILL)  # after the change of account, which clears this option
        if os.getppid() != parent:
            raise ConfinementFailed(_("the parent has ended"))
        _verify_no_rights(status, uid)


def kill_account(uid: int) -> bool:
    """Kill every process of an account from `choose_account`.

    Return True when no process is left.
    """
    if uid == KEEP_ACCOUNT or not _FIRST_UID <= uid <= _LAST_UID:
        return True
    deadline_s = time.monotonic() + _KILL_S
    while found := [pid for pid, owner in _list_processes() if owner == uid]:
        if time.monotonic() > deadline_s:
            return False
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        threading.Event().wait(_NAP_S)
    return True


def _list_processes() -> Iterator[tuple[int, int]]:
    """Yield process id and user id of every running process, without zombies."""
    for entry in _PROC.iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):
                fields = dict(line.split(":", 1) for line in (entry / "status").read_text().splitlines())
                if not fields["State"].strip().startswith(("Z", "X")):
                    yield int(entry.name), int(fields["Uid"].split()[0])


def _is_known(uid: int) -> bool:
    with contextlib.suppress(KeyError):
        return bool(pwd.getpwuid(uid))
    with contextlib.suppress(KeyError):
        return bool(grp.getgrgid(uid))
    return False


def _refuse_threads(status: TextIO) -> None:
    """Raise ConfinementFailed in a process with several threads.

    The kernel keeps capabilities for each thread.
    """
    threads = next(int(line.split()[1]) for line in status if line.startswith("Threads:"))
    if threads != 1:
        raise ConfinementFailed(_("it has {threads} threads already").format(threads=threads))


def _set_limits(limits: ProcessLimits, *, own_account: bool) -> None:
    values = {
        resource.RLIMIT_AS: limits.memory_bytes,
        resource.RLIMIT_NOFILE: limits.files,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
    }
    if own_account:  # the kernel counts all processes of an account
        values[resource.RLIMIT_NPROC] = limits.processes
    for name, value in values.items():
        hard = resource.getrlimit(name)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)  # noqa: PLW2901
        resource.setrlimit(name, (value, value))


def _enter_empty_folder() -> None:
    """Make an empty folder the root folder, and remove it, so that it stays empty."""
    path = Path(tempfile.mkdtemp(prefix="domtune-empty-"))
    above = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.chroot(path)
        os.chdir("/")
        os.rmdir(path.name, dir_fd=above)
    finally:
        os.close(above)


def _drop_bounding_set() -> None:
    for capability in range(_LAST_CAPABILITY + 1):
        with contextlib.suppress(OSError):  # the kernel has no such capability
            _set_process_option(_PR_CAPBSET_DROP, capability)


def _drop_capabilities() -> None:
    """Clear the permitted, effective and inheritable capabilities of the only thread."""
    header = struct.pack("=Ii", _CAPSET_VERSION, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capset(header, bytes(24)):
        raise OSError(ctypes.get_errno(), "capset")


def _set_process_option(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def _verify_no_rights(status: TextIO, uid: int) -> None:
    """Read this process's rights from the kernel; raise ConfinementFailed for any."""
    status.seek(0)
    fields = dict(line.rstrip("\n").split(":", 1) for line in status)
    wrong = [name for name in ("CapInh", "CapPrm", "CapEff", "CapAmb") if int(fields[name], 16)]
    if fields["NoNewPrivs"].strip() != "1":
        wrong.append("NoNewPrivs")
    if uid != KEEP_ACCOUNT:
        wrong += [name for name in ("Uid", "Gid") if set(fields[name].split()) != {str(uid)}]
        wrong += ["Groups"] if fields["Groups"].split() else []
        wrong += ["CapBnd"] if int(fields["CapBnd"], 16) else []
    if wrong:
        raise ConfinementFailed(_("it still has rights: {wrong}").format(wrong=", ".join(wrong)))
