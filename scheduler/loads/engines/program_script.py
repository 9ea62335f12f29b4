"""Protocols for an engine's program: its command line and its output."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from scheduler.errors import LoadError
from scheduler.loads.engines.program import ProgramJob, ProgramLine, SupervisedProgram
from scheduler.model.number_parsing import parse_decimal

MOST = 1e9
"""Largest accepted figure of one line: operations, milliseconds, or seconds."""


def parse_figure(text: str | None) -> float | None:
    """Return a figure of a line; 0 if it is missing, None if it is not in 0..`MOST`."""
    return 0.0 if text is None else parse_decimal(text, 0.0, MOST)


class LineFigures(msgspec.Struct, frozen=True):
    """Figures of one line, for the interval since the previous line.

    Attributes:
        since_s: Start of the interval, seconds of the monotonic clock.
        until_s: End of the interval.
        count: Operations completed in it.
        errors: Operations that failed in it.
        retries: Operations that were repeated in it.
        times_ms: Service times: `p50`, `p95`, `p99`, or `latency` for an unspecified kind.
    """

    since_s: float
    until_s: float
    count: float
    errors: int = 0
    retries: int = 0
    times_ms: Mapping[str, float] = {}


class ProgramLines(Protocol):
    """Reader of the output of one run, line by line."""

    def read(self, line: ProgramLine, since_s: float) -> LineFigures | None:
        """Return the figures of a line; None for a line without a rate.

        Args:
            line: Line of output.
            since_s: End of the previous line's interval, or start of the program.
        """
        ...

    def completed(self, told: float) -> int:
        """Return the number of operations that the whole run completed.

        Args:
            told: Sum of the operations in the lines.

        Raises:
            LoadDied: The program did not report its total.
        """
        ...

    def close(self) -> None:
        """Release all resources of the reader; never raise. A second call does nothing."""
        ...


class ProgramScript(Protocol):
    """Command line of a program, and the reader of its output.

    Attributes:
        title: Name of the program in messages.
        interval_s: Seconds between two lines with figures.
        first_s: Time limit for the first line with figures, in seconds.
        asked: True if the program ends when asked (`ProgramJob.asked`). False to end it by force.
        hint: Advice for a program that ended or is silent.
    """

    title: str
    interval_s: float
    first_s: float
    asked: bool
    hint: str

    def job(self) -> ProgramJob:
        """Return the command to run.

        Raises:
            LoadError: The program is missing.
        """
        ...

    def lines(self, program: SupervisedProgram) -> ProgramLines:
        """Return the reader for a run that has just begun."""
        ...

    def refused(self, said: str) -> LoadError | None:
        """Return the error in a program's last output; None if the output shows none.

        This is for a program that did not start.
        """
        ...
