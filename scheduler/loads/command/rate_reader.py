"""Reader that turns a program's output lines into rates.

Sweeps, `domtune try` and the window use this reader.
"""

import contextlib
from collections.abc import Mapping

import msgspec

from scheduler.loads.command.known_programs import CUMULATIVE_LINES, KNOWN_LINES, KnownLine
from scheduler.loads.command.line_figures import (
    ALL_GROUPS,
    AMOUNT_GROUPS,
    AmbiguousNumber,
    RateFigures,
    read_figures,
    refuse_partial_number,
)
from scheduler.loads.command.pattern_matcher import LONGEST_LINE, PatternMatcher
from scheduler.loads.command.rate_guess import guess_rate
from scheduler.model.number_texts import format_short

CONSTANT_LINES = 8
"""Number of equal figures after which they are refused as no measurement."""
GROWTHS, GROWTHS_TRIED = 20, 8
"""Number of growing figures in a row after which they are refused as a running total: in a sweep, in a dry run.

While a load warms up, its rate can rise for 8 seconds without a fall. For 20 seconds, the probability is below 1 %."""
_CONSTANT_INTERVALS = 3  # at least, if lines come faster than in the plan
_MOST_DOUBTS = 5  # ambiguous lines before the first readable figure
_FAULT_HINT = (
    "Give a pattern that finds the rate of the last second: (?P<rate>...), or (?P<total>...) for a running total."
)
JSON_SOURCE = "a JSON line"
PATTERN_SOURCE = "the pattern"


class LineReading(msgspec.Struct, frozen=True):
    """Result of reading one line.

    Attributes:
        figures: Figures of the line. None for an ignored line.
        source: Way of recognition: the pattern, a program's name, or a guess such as `tps: figure`. Empty without
            figures.
        problem: Reason why a figure of the line cannot be used. Empty without a problem.
    """

    figures: RateFigures | None = None
    source: str = ""
    problem: str = ""


class RateReader:
    """Reader of the lines of one run, in their order.

    Without a pattern, the first recognised line decides the form of all later ones. The line of a known program is
    preferred to a guess.

    Args:
        pattern: Valid regular expression of the plan. Empty to recognise lines without one.

    Raises:
        LoadError: The process that matches the pattern cannot be started.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._matcher = PatternMatcher(pattern) if pattern else None
        self._known: KnownLine | None = None
        self._json = False
        self._form = ""
        self._total: float | None = None

    def read(self, text: str) -> LineReading:
        """Return the figures of a line.

        Raises:
            LoadDied: The match takes too long.
        """
        line = text[:LONGEST_LINE]
        try:
            groups, source = self._find_groups(line)
            figures = None if groups is None else self._subtract_before(groups)
        except AmbiguousNumber as problem:
            return LineReading(problem=str(problem))
        return LineReading(figures, source) if figures is not None else LineReading()

    def close(self) -> None:
        """End the process that matches; never raise. A second call does nothing."""
        if self._matcher is not None:
            self._matcher.close()

    def _find_groups(self, line: str) -> tuple[Mapping[str, str | None] | None, str]:
        if self._matcher is not None:
            match = self._matcher.find(line)
            if match is not None:
                refuse_partial_number(line, match, self._pattern)
            return (None if match is None else match.groups), PATTERN_SOURCE
        if self._known is None and (self._json or line.startswith("{")):
            return self._read_json(line), JSON_SOURCE
        for known in (self._known,) if self._known else KNOWN_LINES if not self._json else ():
            if (groups := known.find(line)) is not None:
                self._known = known
                return groups, f"{known.program}'s line"
        if self._known or self._json or CUMULATIVE_LINES.search(line):
            return None, ""
        guess = guess_rate(line, self._form)
        if guess is None:
            return None, ""
        self._form = guess.form
        return {"rate": repr(guess.figure)}, f"guess '{guess.form}'"

    def _read_json(self, line: str) -> dict[str, str | None] | None:
        fields: dict[str, object] = {}
        with contextlib.suppress(msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            fields = msgspec.json.decode(line, type=dict[str, object])
        if not AMOUNT_GROUPS & fields.keys():
            return None
        named = {name: fields[name] for name in ALL_GROUPS & fields.keys() if fields[name] is not None}
        if len(AMOUNT_GROUPS & named.keys()) != 1:
            raise AmbiguousNumber("the JSON line has more than one of rate, count and total, or none")
        for name, value in named.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise AmbiguousNumber(f"{name} of the JSON line is no number: {value!r:.40}")
        self._json = True
        return {name: repr(value) for name, value in named.items()}

    def _subtract_before(self, groups: Mapping[str, str | None]) -> RateFigures | None:
        """Return a line's figures; for a running total, return the increase.

        None means that the total is the first one or has fallen.
        """
        figures = read_figures(groups)
        if figures is None or groups.get("total") is None:
            return figures
        before, self._total = self._total, figures.figure
        if before is None or figures.figure < before:
            return None
        return msgspec.structs.replace(figures, figure=figures.figure - before)


class FigureRefusal(msgspec.Struct, frozen=True):
    """The reason why figures are not used, and a hint."""

    text: str
    hint: str


class FigureHistory:
    """Checks that a program's figures are measurements, over all its runs of one load.

    Args:
        growths: Number of growing figures in a row after which they are refused.
        interval_s: Seconds between lines in the plan. Faster lines may repeat a figure. 0 for lines without times.
    """

    def __init__(self, growths: int, interval_s: float = 0.0) -> None:
        self._most_growths, self._interval_s = growths, interval_s
        self._began_s = 0.0
        self._last: float | None = None  # in this run
        self._first = 0.0
        self._doubts, self._figures, self._growths = 0, 0, 0
        self._differ = self._fell = False

    def begin_run(self) -> None:
        """Start a new run of the program: headings may come again, and totals restart."""
        self._last, self._doubts = None, 0

    def take(self, reading: LineReading, text: str, heard_s: float = 0.0) -> FigureRefusal | None:
        """Add a line; return the reason to refuse the figures, None without one.

        An ambiguous figure is refused after the first readable one. Before that, some ambiguous figures are accepted,
        because
        they may be headings. Zeros before the first other figure do not count, because the program may still be
        preparing.

        Args:
            reading: Result of the line.
            text: The line.
            heard_s: Time of the line, seconds of any clock.
        """
        shown = repr(text[:120])
        if reading.problem:
            self._doubts += 1
            if self._last is None and self._doubts < _MOST_DOUBTS:
                return None
            return FigureRefusal(f"a figure of the line {shown} is not used: {reading.problem}", AmbiguousNumber.hint)
        if reading.figures is None or not (reading.figures.figure or self._figures):
            return None
        if not self._figures:
            self._began_s = heard_s
        self._add_figure(reading.figures)
        return self._find_fault(f"{shown}, read by {reading.source}", heard_s - self._began_s)

    def _add_figure(self, figures: RateFigures) -> None:
        figure, last = figures.figure, self._last
        if last is not None:
            self._fell |= figure < last
            self._growths += figure > last
        if not self._figures:
            self._first = figure
        # Equal counts are no fault, because the time between lines is measured, too.
        self._differ |= figure != self._first or figures.counts
        self._figures += 1
        self._last = figure

    def _find_fault(self, line: str, since_s: float) -> FigureRefusal | None:
        constant_s, growing_s = _CONSTANT_INTERVALS * self._interval_s, self._most_growths / 2 * self._interval_s
        if not self._differ and self._figures >= CONSTANT_LINES and since_s >= constant_s:
            first = format_short(self._first)
            return FigureRefusal(
                f"the figure never changes: it was {first} in all of {self._figures} lines, the last of them {line}",
                _FAULT_HINT,
            )
        if not self._fell and self._growths >= self._most_growths and since_s >= growing_s:
            return FigureRefusal(
                f"the figure only grows, {self._growths} times without a fall, like a running total: {line}",
                _FAULT_HINT,
            )
        return None
