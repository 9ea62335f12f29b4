"""Commands on this computer."""

from collections.abc import Sequence

from scheduler.errors import HostUnreachable
from scheduler.hosts.remote.askpass import quiet_environment
from scheduler.hosts.remote.child_processes import ChildProcesses
from scheduler.hosts.remote.line_stream import LineStream
from scheduler.hosts.remote.shell import TIMEOUT_S, CommandResult
from scheduler.translation import _

_WHERE = _("this computer")


def _english_environment() -> dict[str, str]:
    """Return this process's environment without passwords, with English messages."""
    return {**quiet_environment(), "LC_ALL": "C"}


class LocalShell:
    """Shell of this computer."""

    def __init__(self) -> None:
        self._children = ChildProcesses(_WHERE)

    @property
    def where(self) -> str:
        return _WHERE

    def run(self, argv: Sequence[str], *, timeout_s: float = TIMEOUT_S, stdin: str = "") -> CommandResult:
        return self._children.run(argv, timeout_s, stdin, _english_environment())

    def stream(self, argv: Sequence[str]) -> LineStream:
        try:
            return LineStream(argv, _english_environment())
        except OSError as error:
            raise HostUnreachable(
                _("{where}: '{argv}' does not start: {strerror}").format(
                    where=_WHERE, argv=argv[0], strerror=error.strerror
                )
            ) from error

    def close(self) -> None:
        self._children.end_all()
