"""The shell protocol: how an adapter has a command carried out on a host, here or far away."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command answered.

    Attributes:
        code: Exit code of the command itself, 0..255; 127 when the host has no such program.
        out: Its standard output, without anything that the way there added.
        err: Its standard error.
    """

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Everything the command said, in one string: what a ledger keeps."""
        return "\n".join(part for part in (self.out.strip(), self.err.strip()) if part)


class Shell(Protocol):
    """One host where commands can be run; every method may be called from several threads at once."""

    @property
    def where(self) -> str:
        """The host as people name it, for messages: `this computer`, `root@xen1`."""
        ...

    def run(self, argv: Sequence[str], *, timeout_s: float = TIMEOUT_S, stdin: str = "") -> CommandResult:
        """Run one command and wait for it.

        Args:
            argv: Program and arguments as data: the shell quotes them, nothing in them is interpreted.
            timeout_s: Time for the whole step, > 0; then the command is given up.
            stdin: What the command reads; then its input ends.

        Raises:
            HostUnreachable: No answer in time, or the way there broke. Whether the command ran is then unknown.
            HostNotUsable: It says more than anybody asked for.
        """
        ...

    def close(self) -> None:
        """End the session and every command still running in it; never raises, may be called twice."""
        ...


class CommandStream(Protocol):
    """A command that keeps talking; its lines are collected by a thread until they are asked for."""

    def take(self) -> list[tuple[float, str]]:
        """Return the whole lines since the last call, each with the moment it arrived (`time.monotonic`)."""
        ...

    @property
    def ended(self) -> bool:
        """True when no more lines will come."""
        ...

    def close(self) -> None:
        """End the command; never raises, may be called twice."""
        ...


class StreamingShell(Shell, Protocol):
    """A shell that can also keep a command running, for counters that are read every second."""

    def stream(self, argv: Sequence[str]) -> CommandStream:
        """Start a command that prints until it is closed. Raises HostUnreachable."""
        ...
