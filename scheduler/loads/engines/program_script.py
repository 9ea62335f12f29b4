"""What an engine must know of its program: how it is called, and what its lines mean."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from scheduler.errors import LoadError
from scheduler.loads.engines.program import ProgramJob, ProgramLine, SupervisedProgram
from scheduler.model.number_parsing import parse_decimal

MOST = 1e9
"""The largest figure of one line that is believed: operations, milliseconds, or seconds."""


def parse_figure(text: str | None) -> float | None:
    """Return a figure of a line, 0 where it says none; None for what is no number within bounds."""
    return 0.0 if text is None else parse_decimal(text, 0.0, MOST)


class LineFigures(msgspec.Struct, frozen=True):
    """What one line tells of the time since the line before.

    Attributes:
        since_s: When that time began, on the monotonic clock.
        until_s: When it ended.
        count: Operations completed in it.
        errors: Operations that failed in it.
        retries: Operations that were repeated in it.
        times_ms: Service times that it tells: `p50`, `p95`, `p99`, or `latency` where it does not say which.
    """

    since_s: float
    until_s: float
    count: float
    errors: int = 0
    retries: int = 0
    times_ms: Mapping[str, float] = {}


class ProgramLines(Protocol):
    """What the lines of one run of the program mean, in their order."""

    def read(self, line: ProgramLine, since_s: float) -> LineFigures | None:
        """Return what a line tells; None for one that tells nothing of the rate.

        Args:
            line: The line.
            since_s: Until when the line before told, or when the program began.
        """
        ...

    def completed(self, told: float) -> int:
        """Return how many operations the run completed in all. Raises LoadDied: the program does not say it.

        Args:
            told: How many the lines told of.
        """
        ...

    def close(self) -> None:
        """Let go of whatever reading needs; never raises, may be called twice."""
        ...


class ProgramScript(Protocol):
    """How one program is called.

    Attributes:
        title: What messages call the program.
        interval_s: How often it is to print a line that counts.
        first_s: How long it may take to print the first one.
        asked: True where it ends by itself when it is asked to (`Job.asked`); else it is ended.
        hint: What to do where it ends or falls silent.
    """

    title: str
    interval_s: float
    first_s: float
    asked: bool
    hint: str

    def job(self) -> ProgramJob:
        """Return what to run. Raises LoadError: the program is not there."""
        ...

    def lines(self, program: SupervisedProgram) -> ProgramLines:
        """Return what reads the lines of a run that has just begun."""
        ...

    def refused(self, said: str) -> LoadError | None:
        """Return our error for the last words of a program that never began to work; None where they say nothing."""
        ...
