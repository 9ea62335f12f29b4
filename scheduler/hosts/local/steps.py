"""What can be done to control groups, each step as a line that can be typed by hand and as the deed itself."""

import contextlib
import errno
import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

import msgspec

from scheduler.errors import DomainGone, HostError, HostNotUsable, ParameterRefused
from scheduler.hosts.base import Ledger
from scheduler.hosts.local.waiting import until

_REMOVE_S = 2.0  # processes that have just ended leave their group a moment later


class Step(Protocol):
    """One thing to do."""

    @property
    def line(self) -> str:
        """The step as it can be typed by hand."""
        ...

    def do(self) -> str:
        """Do it and return the answer; raises OSError."""
        ...


class MakeFolder(msgspec.Struct, frozen=True):
    """Make a group."""

    path: Path

    @property
    def line(self) -> str:
        return f"mkdir -p {self.path}"

    def do(self) -> str:
        self.path.mkdir(parents=True, exist_ok=True)
        return "ok"


class RemoveFolder(msgspec.Struct, frozen=True):
    """Remove an empty group."""

    path: Path

    @property
    def line(self) -> str:
        return f"rmdir {self.path}"

    def do(self) -> str:
        if not until(self._is_gone, _REMOVE_S):
            self.path.rmdir()  # says why
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
    """Write a value.

    Attributes:
        path: The group's file.
        value: What to write.
        busy_is_fine: Others may have come to need what this would take away.
    """

    path: Path
    value: str
    busy_is_fine: bool = False

    @property
    def line(self) -> str:
        return f"echo {self.value} > {self.path}"

    def do(self) -> str:
        try:
            _put(self.path, self.value)
        except OSError as error:
            if self.busy_is_fine and error.errno == errno.EBUSY:
                return "in use by others now; left"
            raise
        return "ok"


class Enter(msgspec.Struct, frozen=True):
    """Move a process into a group."""

    pid: int
    folder: Path

    @property
    def line(self) -> str:
        return f"echo {self.pid} > {self.folder / 'cgroup.procs'}"

    def do(self) -> str:
        try:
            _put(self.folder / "cgroup.procs", str(self.pid))
        except ProcessLookupError:
            return "has ended"
        return "ok"


class Confine(msgspec.Struct, frozen=True):
    """Set the CPUs that a process may run on (taskset(1))."""

    pid: int
    cpus: tuple[int, ...]

    @property
    def line(self) -> str:
        return f"taskset -a -p -c {','.join(map(str, self.cpus))} {self.pid}"

    def do(self) -> str:
        try:
            tasks = [int(entry.name) for entry in Path(f"/proc/{self.pid}/task").iterdir()]
        except FileNotFoundError:
            return "has ended"
        for task in tasks:
            with contextlib.suppress(ProcessLookupError):  # a thread may end meanwhile
                os.sched_setaffinity(task, self.cpus)
        return "ok"


class Tell(msgspec.Struct, frozen=True):
    """Send a signal to a process."""

    pid: int
    signal_name: str

    @property
    def line(self) -> str:
        return f"kill -{self.signal_name.removeprefix('SIG')} {self.pid}"

    def do(self) -> str:
        try:
            os.kill(self.pid, signal.Signals[self.signal_name])
        except ProcessLookupError:
            return "has ended"
        return "ok"


def carry_out(steps: Iterable[Step], ledger: Ledger) -> None:
    """Do the steps in order, each with its answer in the ledger.

    Raises:
        ParameterRefused: The kernel does not accept a value.
        HostNotUsable: It does not let us.
        DomainGone: The group is gone.
        HostError: Anything else that the kernel answers.
    """
    for step in steps:
        try:
            answer = step.do()
        except OSError as error:
            ledger(step.line, error.strerror or str(error))
            raise _explained(step, error) from error
        ledger(step.line, answer)


def _put(path: Path, value: str) -> None:
    """Write in one call, as the kernel wants it, and without making a file."""
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(handle, value.encode())
    finally:
        os.close(handle)


def _explained(step: Step, error: OSError) -> HostError:
    what = f"'{step.line}' was answered with: {error.strerror or error}"
    if error.errno in {errno.EINVAL, errno.ERANGE} and isinstance(step, SetFile):
        return ParameterRefused(what, hint="A limit of a group above may forbid this value.")
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return HostNotUsable(what, hint="DomTune needs to write to this group: see 'domtune probe local:'.")
    if error.errno == errno.ENOENT:
        return DomainGone(what, hint="Did another program remove the control group?")
    if error.errno == errno.EBUSY:
        return HostError(what, hint="Processes or other groups are still in it; look into its cgroup.procs.")
    return HostError(what)
