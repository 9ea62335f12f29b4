"""Steps on control groups, each an action and a line to type by hand."""

import contextlib
import errno
import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

import msgspec

from scheduler.errors import HostError
from scheduler.model.number_parsing import parse_whole_number
from scheduler.translation import _
from scheduler.waiting import wait_until

_REMOVE_S = 2.0  # processes that have just ended leave their group a moment later
_EMPTY_S = 2.0  # as above, and other processes start in the meantime
_MOST_PID = 2**22  # proc(5), pid_max


class CgroupStep(Protocol):
    """One action on control groups or processes."""

    @property
    def line(self) -> str:
        """The action as a line to type by hand."""
        ...

    def do(self) -> str:
        """Do the action and return its answer; raise OSError."""
        ...


class MakeFolder(msgspec.Struct, frozen=True):
    """Creation of a group."""

    path: Path

    @property
    def line(self) -> str:
        return f"mkdir -p {self.path}"

    def do(self) -> str:
        self.path.mkdir(parents=True, exist_ok=True)
        return "ok"


class RemoveFolder(msgspec.Struct, frozen=True):
    """Removal of an empty group."""

    path: Path

    @property
    def line(self) -> str:
        return f"rmdir {self.path}"

    def do(self) -> str:
        if not wait_until(self._is_gone, _REMOVE_S):
            self.path.rmdir()  # raises the reason
        return "ok"

    def _is_gone(self) -> bool:
        try:
            self.path.rmdir()
        except FileNotFoundError:
            return True
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            return False
        return True


class SetFile(msgspec.Struct, frozen=True):
    """Write of a value.

    Attributes:
        path: File of the group.
        value: Value to write.
        busy_is_fine: Ignore EBUSY: other programs may need the controller by now.
    """

    path: Path
    value: str
    busy_is_fine: bool = False

    @property
    def line(self) -> str:
        return f"echo {self.value} > {self.path}"

    def do(self) -> str:
        try:
            _write_value(self.path, self.value)
        except OSError as error:
            if self.busy_is_fine and error.errno == errno.EBUSY:
                return _("in use by others now; left")
            raise
        return "ok"


class EnterGroup(msgspec.Struct, frozen=True):
    """Move of processes into a group, in this order."""

    pids: tuple[int, ...]
    folder: Path

    @property
    def line(self) -> str:
        return enter_line(" ".join(map(str, self.pids)), self.folder)

    def do(self) -> str:
        _move_processes(self.pids, self.folder)
        return "ok"


class EmptyGroup(msgspec.Struct, frozen=True):
    """Move of all processes to another group, with those started in the meantime."""

    folder: Path
    target: Path

    @property
    def line(self) -> str:
        return f"for p in $(cat {_procs_file(self.folder)}); do echo $p > {_procs_file(self.target)}; done"

    def do(self) -> str:
        if not wait_until(self._is_empty, _EMPTY_S):
            raise OSError(errno.EBUSY, _("processes {pids} stay").format(pids=read_pids(self.folder)))
        return "ok"

    def _is_empty(self) -> bool:
        _move_processes(read_pids(self.folder), self.target)
        return not read_pids(self.folder)


class ConfineProcess(msgspec.Struct, frozen=True):
    """Setting of the CPUs on which a process may run (taskset(1))."""

    pid: int
    cpus: tuple[int, ...]

    @property
    def line(self) -> str:
        return confine_line(str(self.pid), self.cpus)

    def do(self) -> str:
        try:
            tasks = [int(entry.name) for entry in Path(f"/proc/{self.pid}/task").iterdir()]
        except FileNotFoundError:
            return _("has ended")
        for task in tasks:
            with contextlib.suppress(ProcessLookupError):  # a thread may end in the meantime
                os.sched_setaffinity(task, self.cpus)
        return "ok"


class ConfineTask(msgspec.Struct, frozen=True):
    """Setting of the CPUs on which one task of a process may run (taskset(1))."""

    task: int
    cpus: tuple[int, ...]

    @property
    def line(self) -> str:
        return f"taskset -p -c {_join_numbers(self.cpus)} {self.task}"

    def do(self) -> str:
        try:
            os.sched_setaffinity(self.task, self.cpus)
        except ProcessLookupError:
            return _("has ended")
        return "ok"


class SendSignal(msgspec.Struct, frozen=True):
    """Signal to a process."""

    pid: int
    signal_name: str

    @property
    def line(self) -> str:
        return f"kill -{self.signal_name.removeprefix('SIG')} {self.pid}"

    def do(self) -> str:
        try:
            os.kill(self.pid, signal.Signals[self.signal_name])
        except ProcessLookupError:
            return _("has ended")
        return "ok"


def enter_line(pids: str, folder: Path) -> str:
    """Return the line that moves processes into a group.

    Args:
        pids: Process ids, or a variable for processes that do not run yet.
        folder: Folder of the group.
    """
    return f"for p in {pids}; do echo $p > {_procs_file(folder)}; done"


def confine_line(pid: str, cpus: tuple[int, ...]) -> str:
    """Return the line that restricts a process to CPUs.

    Args:
        pid: Process id, or a variable for processes that do not run yet.
        cpus: The CPUs.
    """
    return f"taskset -a -p -c {_join_numbers(cpus)} {pid}"


def _join_numbers(cpus: tuple[int, ...]) -> str:
    return ",".join(map(str, cpus))


def _procs_file(folder: Path) -> Path:
    return folder / "cgroup.procs"


def _move_processes(pids: Iterable[int], folder: Path) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):  # a process may end in the meantime
            _write_value(_procs_file(folder), str(pid))


def read_pids(folder: Path) -> list[int]:
    """Return the processes in a group; none without the group.

    Processes of other PID namespaces are omitted: the kernel shows them as 0.

    Raises:
        HostError: The kernel's file contains other text.
    """
    try:
        reported = _procs_file(folder).read_text(errors="replace").split()
    except OSError:  # ENOENT, or ENODEV while the group is removed
        return []
    pids = [parse_whole_number(word, most=_MOST_PID) for word in reported]
    if None in pids:
        strange = reported[pids.index(None)][:40]
        raise HostError(
            _("{procs_file} holds {strange!r}, which is no process").format(
                procs_file=_procs_file(folder), strange=strange
            ),
            hint=_("Is that a control group?"),
        )
    return [pid for pid in pids if pid]


def _write_value(path: Path, value: str) -> None:
    """Write in one call, as the kernel requires, and create no file."""
    handle = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
    try:
        os.write(handle, value.encode())
    finally:
        os.close(handle)
