"""What a pattern understands of lines, for people who write one."""

import signal
import time
from collections.abc import Callable

import msgspec

from scheduler.loads.command.command_engine import CommandScript
from scheduler.loads.command.command_line import check_pattern
from scheduler.loads.command.rate_reader import GROWTHS_TRIED, FigureHistory, FigureRefusal, RateReader
from scheduler.loads.engines.program import SupervisedProgram
from scheduler.model.pattern_preview import MOST_LINES, ParsedLine, PatternPreview, PatternRequest

_NAP_S = 0.05


def preview_text(printed: PatternRequest) -> PatternPreview:
    """Return what a pattern understands of a text; raises SpecError, LoadDied (it takes too long)."""
    lines = _PreviewLines(RateReader(check_pattern({"pattern": printed.pattern})))
    try:
        texts = [line for raw in printed.text.splitlines() if (line := _printable_text(raw))]
        for text in texts[:MOST_LINES]:
            lines.read(text)
    finally:
        lines.close()
    return PatternPreview(lines=tuple(lines.found), unit=printed.unit, problem=lines.problem)


def try_command(script: CommandScript, seconds: float, unit: str, told: Callable[[ParsedLine], None]) -> PatternPreview:
    """Run a program for some seconds from its first line on; return what is understood of what it prints.

    Args:
        script: How it is called and read.
        seconds: How long it runs.
        unit: Unit of the rates.
        told: Called with each line as it comes.

    Raises:
        SpecError, LoadError: It cannot be run, prints too much, or its lines cannot be read in time.
    """
    lines = _PreviewLines(script.reader())
    try:
        began_s, program = time.monotonic(), SupervisedProgram(script.job())
        until_s = began_s + script.first_s
        try:
            while not program.flooded and time.monotonic() < until_s and len(lines.found) < MOST_LINES:
                status = program.wait(_NAP_S)
                for line in program.lines():
                    told(lines.read(line.text, line.heard_s - began_s))
                    until_s = min(until_s, lines.found[0].at_s + began_s + seconds)
                if status is not None:
                    break
            ended, unended = _end_text(program), program.unended
        finally:
            program.end()
    finally:
        lines.close()
    problem = lines.problem
    if unended and not lines.found:
        problem = f"it prints no line end: what it has printed is {unended[:120]!r}"
    return PatternPreview(lines=tuple(lines.found), unit=unit, ended=ended, problem=problem)


class _PreviewLines:
    """The lines of a run or a text, and why a sweep would refuse them."""

    def __init__(self, reader: RateReader) -> None:
        self._reader = reader
        self._history = FigureHistory(GROWTHS_TRIED)
        self._unread: FigureRefusal | None = None
        self._fault: FigureRefusal | None = None  # of the figures up to the last line: later ones may change or fall
        self._doubt = ""
        self.found: list[ParsedLine] = []
        self.close = reader.close

    @property
    def problem(self) -> str:
        """Why a sweep would refuse them, and what to do; empty where it would not."""
        if refusal := self._unread or self._fault:
            return f"{refusal.text}. {refusal.hint}"
        return self._doubt if all(line.figure is None for line in self.found) else ""

    def read(self, text: str, at_s: float = 0.0) -> ParsedLine:
        reading = self._reader.read(text)
        refusal = self._history.take(reading, text)
        if reading.problem:
            self._unread = self._unread or refusal
        elif reading.figures is not None:
            self._fault = refusal
        self._doubt = self._doubt or reading.problem
        line = ParsedLine(text=text, at_s=at_s, source=reading.source, problem=reading.problem)
        if (found := reading.figures) is not None:
            line = msgspec.structs.replace(
                line, figure=found.figure, counts=found.counts, errors=found.errors, times_ms=found.times_ms
            )
        self.found.append(line)
        return line


def _printable_text(raw: str) -> str:
    """Return a line as a program's are read: what is no text is a blank."""
    return "".join(letter if letter.isprintable() else " " for letter in raw).strip()


def _end_text(program: SupervisedProgram) -> str:
    if program.flooded:
        return "it prints more than 1,000 lines or 1 MiB a second"
    status = program.status
    if status is None:
        return ""
    how = signal.Signals(status - 128).name if status > 128 and status - 128 in signal.Signals else f"status {status}"
    return f"it ended by itself ({how})"
