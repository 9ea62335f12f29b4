"""Shell protocol: commands on a local or remote host."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Result of a command.

    Attributes:
        code: Exit code of the command itself, 0..255; 127 when the host has no such program.
        out: Standard output of the command, without additions by the connection.
        err: Standard error of the command.
    """

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Both outputs in one string, for the command log."""
        return "\n".join(part for part in (self.out.strip(), self.err.strip()) if part)


class Shell(Protocol):
    """One host that runs commands; several threads may call each method at once."""

    @property
    def where(self) -> str:
        """The host's name for messages: `this computer`, `root@xen1`."""
        ...

    def run(self, argv: Sequence[str], *, timeout_s: float = TIMEOUT_S, stdin: str = "") -> CommandResult:
        """Run one command and wait for its end.

        Args:
            argv: Program and arguments; the shell quotes them and interprets nothing.
            timeout_s: Seconds for the whole step, > 0; then the command is abandoned.
            stdin: The whole input of the command.

        Raises:
            HostUnreachable: No answer in time, or the connection broke. The command may have run.
            HostNotUsable: The output exceeds the limit.
        """
        ...

    def close(self) -> None:
        """End the session and its running commands; never raise, may be called twice."""
        ...


class CommandStream(Protocol):
    """Continuously printing command, whose lines a thread collects."""

    def take(self) -> list[tuple[float, str]]:
        """Return the complete lines since the last call, each with its time of arrival.

        Times are from `time.monotonic`.
        """
        ...

    @property
    def ended(self) -> bool:
        """True when no more lines will come."""
        ...

    def close(self) -> None:
        """End the command; never raise, may be called twice."""
        ...


class StreamingShell(Shell, Protocol):
    """Shell that can also keep a command running, for counters read every second."""

    def stream(self, argv: Sequence[str]) -> CommandStream:
        """Start a command that prints until closed; raise HostUnreachable."""
        ...
