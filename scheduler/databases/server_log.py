"""Bounded pieces of a server's log, for people."""

import re
from pathlib import Path

_READ_BYTES = 1 << 16
_LINE_CHARS = 300  # a failed statement is on one line of any length
_LINES = 12


class ServerLog:
    """Log file of one server.

    Args:
        path: Path of the log, which may not exist yet.
        incident: Pattern of a line about an unexpected end.
    """

    def __init__(self, path: Path, incident: re.Pattern[str]) -> None:
        self._path = path
        self._incident = incident

    def tail(self) -> str:
        """Return the last lines; empty for none."""
        return _shorten_lines(self._read_lines()[-_LINES:])

    def incident(self) -> str:
        """Return the lines from the last unexpected end on; empty for none."""
        lines = self._read_lines()
        began = [number for number, line in enumerate(lines) if self._incident.search(line)]
        return _shorten_lines(lines[began[-1] :][:_LINES]) if began else ""

    def says(self, words: str) -> bool:
        """Return True when one of the last lines contains the text."""
        return any(words in line for line in self._read_lines())

    def _read_lines(self) -> list[str]:
        try:
            with self._path.open("rb") as file:
                file.seek(max(0, file.seek(0, 2) - _READ_BYTES))
                return file.read().decode("utf-8", "replace").splitlines()
        except OSError:
            return []


def _shorten_lines(lines: list[str]) -> str:
    return "\n".join(line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]} ..." for line in lines)
