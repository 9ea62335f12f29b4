"""The server's log for people: a bounded piece of it."""

import re
from pathlib import Path

_READ_BYTES = 1 << 16
_LINE_CHARS = 300  # a failed statement stands on one line, however long
_LINES = 12
# What the postmaster says of a process that did not end as it should (launch_backend.c, postmaster.c); it then ends
# all others, whose clients only learn that "the connection was closed unexpectedly". Status 1 is an ordinary end.
_INCIDENT = re.compile(r"\bPANIC: |\bterminated by (signal|exception)\b|\bexited with exit code (?![01]\b)\d")


class ServerLog:
    """One log file.

    Args:
        path: Where it is or will be.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def tail(self) -> str:
        """Return the last lines; empty when there are none."""
        return _readable(self._lines()[-_LINES:])

    def incident(self) -> str:
        """Return the lines from the last unexpected end of a server process on; empty when there was none."""
        lines = self._lines()
        began = [number for number, line in enumerate(lines) if _INCIDENT.search(line)]
        return _readable(lines[began[-1] :][:_LINES]) if began else ""

    def _lines(self) -> list[str]:
        try:
            with self._path.open("rb") as file:
                file.seek(max(0, file.seek(0, 2) - _READ_BYTES))
                return file.read().decode("utf-8", "replace").splitlines()
        except OSError:
            return []


def _readable(lines: list[str]) -> str:
    return "\n".join(line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]} ..." for line in lines)
