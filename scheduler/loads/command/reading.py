"""What a pattern understands of lines, for people who write one."""

import contextlib
import signal
import time
from collections.abc import Callable, Generator

from scheduler.loads.command.asked import pattern_of
from scheduler.loads.command.engine import CommandScript
from scheduler.loads.command.figures import figures_of
from scheduler.loads.command.matching import Groups, Matcher
from scheduler.loads.engines.program import Program
from scheduler.model.understood import MOST_LINES, LineRead, Printed, Understood

_NAP_S = 0.05


def understood(printed: Printed) -> Understood:
    """Return what a pattern understands of a text; raises SpecError, LoadDied (it takes too long)."""
    with _matching(pattern_of({"pattern": printed.pattern}).pattern) as find:
        texts = [line for raw in printed.text.splitlines() if (line := _shown(raw))]
        return Understood(lines=tuple(_read(find, text) for text in texts[:MOST_LINES]), unit=printed.unit)


def tried(script: CommandScript, seconds: float, unit: str, told: Callable[[LineRead], None]) -> Understood:
    """Run a program for some seconds from its first line on; return what is understood of what it prints.

    Args:
        script: How it is called and read.
        seconds: How long it runs.
        unit: Unit of the rates.
        told: Called with each line as it comes.

    Raises:
        SpecError, LoadError: It cannot be run, prints too much, or its lines cannot be read in time.
    """
    lines: list[LineRead] = []
    with _matching(script.pattern) as find:
        began_s, program = time.monotonic(), Program(script.job())
        until_s = began_s + script.first_s
        try:
            while not program.flooded and time.monotonic() < until_s and len(lines) < MOST_LINES:
                status = program.wait(_NAP_S)
                for line in program.lines():
                    lines.append(_read(find, line.text, line.heard_s - began_s))
                    told(lines[-1])
                    until_s = min(until_s, lines[0].at_s + began_s + seconds)
                if status is not None:
                    break
            ended = _ended(program)
        finally:
            program.end()
    return Understood(lines=tuple(lines), unit=unit, ended=ended)


@contextlib.contextmanager
def _matching(pattern: str) -> Generator[Callable[[str], Groups | None]]:
    matcher = Matcher(pattern)
    try:
        yield matcher.find
    finally:
        matcher.close()


def _read(find: Callable[[str], Groups | None], text: str, at_s: float = 0.0) -> LineRead:
    groups = find(text)
    found = figures_of(groups) if groups is not None else None
    if found is None:
        return LineRead(text=text, at_s=at_s)
    return LineRead(
        text=text, at_s=at_s, figure=found.figure, counts=found.counts, errors=found.errors, times_ms=found.times_ms
    )


def _shown(raw: str) -> str:
    """Return a line as a program's are read: what is no text is a blank."""
    return "".join(letter if letter.isprintable() else " " for letter in raw).strip()


def _ended(program: Program) -> str:
    if program.flooded:
        return "it prints more than 1,000 lines or 1 MiB a second"
    status = program.status
    if status is None:
        return ""
    how = signal.Signals(status - 128).name if status > 128 and status - 128 in signal.Signals else f"status {status}"
    return f"it ended by itself ({how})"
