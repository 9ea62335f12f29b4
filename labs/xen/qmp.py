"""Commands to the emulator by QEMU's machine protocol (QMP): lines of JSON.

https://www.qemu.org/docs/master/interop/qmp-spec.html
"""

import array
import contextlib
import os
import socket
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from scheduler.errors import HostNotUsable, HostUnreachable

SOCKET = "monitor"
_ANSWER_S = 20.0  # a monitor that is there answers in milliseconds, on a busy computer in seconds


class _QmpError(msgspec.Struct, frozen=True):
    desc: str = "no reason given"


class _QmpMessage(msgspec.Struct, frozen=True):
    """A greeting, an event, or the answer to the last command."""

    done: dict[str, Any] | msgspec.UnsetType = msgspec.field(name="return", default=msgspec.UNSET)
    error: _QmpError | None = None
    greeting: Any = msgspec.field(name="QMP", default=None)


class QemuMonitor:
    """Connection to the emulator's monitor after the greeting; see `connect_monitor`.

    Args:
        line: The connection, with a limit for each wait.
        said: The same connection, to read from.
    """

    def __init__(self, line: socket.socket, said: BinaryIO) -> None:
        self._line = line
        self._said = said
        if self._read_message().greeting is None:
            raise HostUnreachable("what listens as the emulator's monitor does not speak QMP")
        self.execute("qmp_capabilities")

    def execute(
        self, command: str, arguments: Mapping[str, object] | None = None, files: Sequence[int] = ()
    ) -> Mapping[str, Any]:
        """Send a command and return its answer.

        Args:
            command: Name of the command.
            arguments: Its arguments.
            files: Open descriptors that are passed with the line.

        Raises:
            HostNotUsable: The emulator refuses; with its message.
            HostUnreachable: It does not answer, or ends first.
        """
        text = msgspec.json.encode({"execute": command, "arguments": arguments or {}}) + b"\n"
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
        try:
            self._line.sendmsg([text], rights)
        except OSError as error:
            raise HostUnreachable(f"the emulator's monitor does not take {command}: {error}") from error
        while (answer := self._read_message()).done is msgspec.UNSET:  # events come in between
            if answer.error is not None:
                raise HostNotUsable(f"the emulator refuses {command}: {answer.error.desc}")
        return answer.done

    def _read_message(self) -> _QmpMessage:
        try:
            text = self._said.readline()
        except OSError as error:
            raise HostUnreachable(f"the emulator's monitor gives no answer: {error}") from error
        try:
            return msgspec.json.decode(text, type=_QmpMessage)
        except msgspec.DecodeError as error:
            what = f"sent {text[:80]!r}" if text else "closed the connection"
            raise HostUnreachable(f"the emulator's monitor {what} instead of an answer") from error


@contextlib.contextmanager
def connect_monitor(folder: Path, limit_s: float = _ANSWER_S) -> Generator[QemuMonitor, None, None]:
    """Connect to the monitor of the lab in a folder; raises HostUnreachable.

    Args:
        folder: The running lab's folder.
        limit_s: Seconds for each answer.
    """
    with contextlib.ExitStack() as stack:
        try:
            here = os.open(folder, os.O_PATH | os.O_DIRECTORY)
            stack.callback(os.close, here)
            line = stack.enter_context(socket.socket(socket.AF_UNIX))
            line.settimeout(limit_s)
            # Short for any name of the folder: a socket's path has 107 letters at most.
            line.connect(f"/proc/self/fd/{here}/{SOCKET}")
        except OSError as error:
            raise HostUnreachable(f"the emulator's monitor does not listen in {folder}: {error}") from error
        yield QemuMonitor(line, stack.enter_context(line.makefile("rb")))
