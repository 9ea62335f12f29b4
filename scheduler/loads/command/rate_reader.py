"""Reader that turns a program's output lines into rates.

Sweeps, `domtune try` and the window use this reader.
"""

import contextlib
import re
import signal
from collections.abc import Iterator, Mapping

import msgspec

from scheduler.children import ChildProgram, python_environment, python_module
from scheduler.errors import LoadDied, LoadError
from scheduler.loads.command.known_programs import CUMULATIVE_LINES, KNOWN_LINES, KnownLine
from scheduler.loads.command.line_figures import (
    ALL_GROUPS,
    AMOUNT_GROUPS,
    AmbiguousNumber,
    PatternMatch,
    RateFigures,
    parse_number,
    read_figures,
    refuse_partial_number,
)
from scheduler.loads.command.matcher import LIMIT_S
from scheduler.model.number_texts import format_short
from scheduler.translation import _

LONGEST_LINE = 1_000
"""Letters of a line that are matched. The time of matching can grow with a power of this number."""

_MODULE = "scheduler.loads.command.matcher"
_PATIENCE_S = 10.0  # in addition to the CPU limit, for a busy computer
_END_STEPS_S = (0.2, 0.5, 5.0)
_HINT = "Write it without repetitions of repetitions, as (a+)+, and without several .* in a row."


class PatternMatcher:
    """Child process that matches one pattern. The constructor starts it.

    Args:
        pattern: Valid regular expression.

    Raises:
        LoadError: The process cannot be started.
    """

    def __init__(self, pattern: str) -> None:
        try:
            self._process = ChildProgram(python_module(_MODULE), python_environment())
        except OSError as error:
            raise LoadError(
                _("no process that reads the command's lines can be started: {error}").format(error=error)
            ) from error
        self._send_text(pattern)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def find(self, text: str) -> PatternMatch | None:
        """Return the first match in a line; None without a match.

        Raises:
            LoadDied: The match takes too long. The process is ended.
        """
        self._send_text(text[:LONGEST_LINE])
        answer = self._read_answer()
        if answer is None:
            raise self._timeout_error(text)
        return msgspec.json.decode(answer, type=PatternMatch | None)

    def close(self) -> None:
        """End the process; never raise. A second call does nothing."""
        self._process.end(*_END_STEPS_S)
        self._process.close_pipes()

    def _send_text(self, text: str) -> None:
        whole = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate cannot be encoded
        self._process.write(msgspec.json.encode(whole) + b"\n")  # a missing answer shows that the process has ended

    def _read_answer(self) -> bytes | None:
        """Wait for one line; return None at the time limit or at the end of the process."""
        try:
            return self._process.read_line(LIMIT_S + _PATIENCE_S)
        except OSError:
            return None

    def _timeout_error(self, text: str) -> LoadDied:
        self.close()
        slow = self._process.returncode == -signal.SIGVTALRM
        shown = text[:80] + ("..." if len(text) > 80 else "")
        if slow:
            return LoadDied(
                _("the pattern takes more than {limit_s:g} s of CPU for the line {shown!r}").format(
                    limit_s=LIMIT_S, shown=shown
                ),
                hint=_HINT,
            )
        return LoadDied(
            _("the pattern gave no answer within {limit_s:g} s for the line {shown!r}").format(
                limit_s=LIMIT_S + _PATIENCE_S, shown=shown
            ),
            hint=_HINT,
        )


_WHAT = (
    r"(?:ops|op|operations?|trans(?:actions?)?|txns?|tx|trx|req(?:uest)?s?|quer(?:y|ies)|events?|rows?|tuples?"
    r"|statements?|calls?|messages?|msgs?|orders?)"
)
_UNIT = rf"(?:tps|qps|rps|iops|eps|(?:{_WHAT} ?)?(?:/ ?s(?:ec(?:onds?)?)?|per sec(?:onds?)?)|ops)"
_FIGURE = r"[.,'\u2019]?\d++(?:[.,'\u2019]\d++)*+(?:e[+-]?\d++)?+"  # possessive, so that no part of a figure matches
_FREE = r"(?<![\w.,'\u2019+\u2212/%#$€<>~^*-])"  # no letter or sign directly before the figure
_UNIT_ENDS = r"(?![\w/%*-])(?! ?[:=])"
_OTHER_UNIT = r"(?:%|(?:[kmgt]|[kmgt]?i?b|[kmgt]?bit|thousand|million)\b)"
_LABELLED = re.compile(
    rf"(?<![\w/])(?P<word>{_UNIT}|throughput|rate)(?: ?\([^()]{{0,20}}\))? ?[:=]+ {{0,20}}{_FREE}(?P<figure>{_FIGURE})"
    rf"(?: ?(?P<unit>{_UNIT}){_UNIT_ENDS}|(?![\w%/*+-])(?! ?{_OTHER_UNIT}))",
    re.IGNORECASE,
)
_FOLLOWED = re.compile(
    rf"{_FREE}(?P<figure>{_FIGURE}) ?(?P<word>{_UNIT}){_UNIT_ENDS}(?P<next> +[+-]?\.?\d)?", re.IGNORECASE
)
_ORDER = ("tps", "trans", "tx", "txn", "ops", "op", "iops", "eps", "rps", "req", "qps", "quer")
_BORDERS = re.compile(r"[,;|()\[\]{}]")
# Near these words, a figure is a setting, a mean since the start, an extreme, or the rate of a single worker.
_ANOTHER = re.compile(
    r"\b(?:target\w*|limit\w*|goal|request(?:ed)|expected|desired|planned|throttled?|max\w*|min|minimum|peak|avg|average"
    r"|mean|overall|median|std\w*|cumulative|so far|since|config\w*|warm-?up|baseline"
    r"|(?:thread|worker|client|user|connection|vuser|terminal|job|core|cpu) ?[#:]? ?\d+)\b",
    re.IGNORECASE,
)


class RateGuess(msgspec.Struct, frozen=True):
    """Figure that may be the rate.

    Attributes:
        form: Form of the figure in the line: `tps: figure`, or `figure ops/s`.
        figure: Operations per second.
    """

    form: str
    figure: float


def guess_rate(line: str, form: str = "") -> RateGuess | None:
    """Return the rate of a line; None without a rate.

    `label: figure` is preferred to `figure unit`, and transactions to other operations.

    Args:
        line: Line of output.
        form: The only form to accept. Empty for any form.

    Raises:
        AmbiguousNumber: The rate has two possible values.
    """
    found = [*_find_candidates(_LABELLED, line)] or [*_find_candidates(_FOLLOWED, line)]
    found = [(shape, match) for shape, match in found if form in ("", shape)]
    if not found:
        return None
    shape, match = min(found, key=lambda each: _unit_rank(each[1]["word"]))
    others = {other["figure"] for same, other in found if same == shape}
    if len(others) > 1:
        raise AmbiguousNumber(
            _("several figures have the form {shape!r}: {others}").format(shape=shape, others=", ".join(sorted(others)))
        )
    if match.groupdict().get("next"):
        raise AmbiguousNumber(
            _("{word!r} may belong to the figure before it or to the one behind it").format(word=match["word"])
        )
    if re.search(r"(?:^|[^\d.,])\d{1,3} $", line[: match.start("figure")]) and re.match(
        r"\d{3}(?!\d)", match["figure"]
    ):
        raise AmbiguousNumber(
            _("'{line} {figure}' may be one number or two").format(
                line=line[: match.end("figure")].split()[-2], figure=match["figure"]
            )
        )
    figure = parse_number(match["figure"])
    return None if figure is None else RateGuess(shape, figure)


def _find_candidates(pattern: re.Pattern[str], line: str) -> Iterator[tuple[str, re.Match[str]]]:
    for match in pattern.finditer(line):
        if _ANOTHER.search(_clause_around(line, match)):
            continue
        word = " ".join(match["word"].lower().split())
        yield (f"{word}: figure" if pattern is _LABELLED else f"figure {word}"), match


def _clause_around(line: str, match: re.Match[str]) -> str:
    """Return the words around a match, up to the next comma or bracket."""
    before = _BORDERS.split(line[: match.start()])[-1]
    after = line[match.end() :]
    behind = _BORDERS.split(after)
    # A bracket directly after the match belongs to the clause: `300 tps (avg)`.
    return before + match[0] + (behind[1] if after.lstrip().startswith("(") and len(behind) > 1 else behind[0])


def _unit_rank(word: str) -> int:
    return next((place for place, start in enumerate(_ORDER) if word.lower().startswith(start)), len(_ORDER))


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
            raise AmbiguousNumber(_("the JSON line has more than one of rate, count and total, or none"))
        for name, value in named.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise AmbiguousNumber(
                    _("{name} of the JSON line is no number: {value!r:.40}").format(name=name, value=value)
                )
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
            return FigureRefusal(
                _("a figure of the line {shown} is not used: {problem}").format(shown=shown, problem=reading.problem),
                AmbiguousNumber.hint,
            )
        if reading.figures is None or not (reading.figures.figure or self._figures):
            return None
        if not self._figures:
            self._began_s = heard_s
        self._add_figure(reading.figures)
        return self._find_fault(
            _("{shown}, read by {source}").format(shown=shown, source=reading.source), heard_s - self._began_s
        )

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
                _("the figure never changes: it was {first} in all of {figures} lines, the last of them {line}").format(
                    first=first, figures=self._figures, line=line
                ),
                _FAULT_HINT,
            )
        if not self._fell and self._growths >= self._most_growths and since_s >= growing_s:
            return FigureRefusal(
                _("the figure only grows, {growths} times without a fall, like a running total: {line}").format(
                    growths=self._growths, line=line
                ),
                _FAULT_HINT,
            )
        return None
