"""Preview of a pattern's matches, for users who write a pattern."""

import signal
import time
from collections.abc import Callable

import msgspec

from scheduler.loads.command.command_engine import CommandScript
from scheduler.loads.command.command_line import check_pattern
from scheduler.loads.command.rate_reader import GROWTHS_TRIED, FigureHistory, FigureRefusal, RateReader
from scheduler.loads.engines.program import SupervisedProgram
from scheduler.model.pattern_preview import MOST_LINES, ParsedLine, PatternPreview, PatternRequest
from scheduler.translation import _

_NAP_S = 0.05


def preview_text(printed: PatternRequest) -> PatternPreview:
    """Return the figures that a pattern finds in a text.

    Raises:
        SpecError: The pattern is not valid.
        LoadDied: A match takes too long.
    """
    lines = _PreviewLines(RateReader(check_pattern({"pattern": printed.pattern})))
    try:
        texts = [line for raw in printed.text.splitlines() if (line := _printable_text(raw))]
        for text in texts[:MOST_LINES]:
            lines.read(text)
    finally:
        lines.close()
    return PatternPreview(lines=tuple(lines.found), unit=printed.unit, problem=lines.problem)


def try_command(script: CommandScript, seconds: float, unit: str, told: Callable[[ParsedLine], None]) -> PatternPreview:
    """Run a program for some seconds; return the figures found in its output.

    The seconds begin with the first line.

    Args:
        script: Command line of the program, and the reader of its output.
        seconds: Duration in seconds, > 0.
        unit: Unit of the rates.
        told: Called with each line when it is printed.

    Raises:
        SpecError: The command is not valid.
        LoadError: The program cannot be run, or its lines cannot be matched in time.
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
        problem = _("the program prints no line end; its output is {unended!r}").format(unended=unended[:120])
    return PatternPreview(lines=tuple(lines.found), unit=unit, ended=ended, problem=problem)


class _PreviewLines:
    """Lines of a run or text, and the reason why a sweep would refuse them."""

    def __init__(self, reader: RateReader) -> None:
        self._reader = reader
        self._history = FigureHistory(GROWTHS_TRIED)
        self._unread: FigureRefusal | None = None
        self._fault: FigureRefusal | None = None  # of all figures so far: later figures may change it
        self._doubt = ""
        self.found: list[ParsedLine] = []
        self.close = reader.close

    @property
    def problem(self) -> str:
        """The reason why a sweep would refuse the lines, with a hint; empty if none."""
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
    """Return a line with blanks for unprintable characters, as for a program's output."""
    return "".join(letter if letter.isprintable() else " " for letter in raw).strip()


def _end_text(program: SupervisedProgram) -> str:
    if program.flooded:
        return _("it prints more than 1,000 lines or 1 MiB a second")
    status = program.status
    if status is None:
        return ""
    how = (
        signal.Signals(status - 128).name
        if status > 128 and status - 128 in signal.Signals
        else _("status {status}").format(status=status)
    )
    return _("the program ended ({how})").format(how=how)
