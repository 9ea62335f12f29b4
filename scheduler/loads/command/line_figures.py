"""Numbers in an output line. Only complete numbers are read, never parts."""

import re
from collections.abc import Mapping

import msgspec

from scheduler.model.number_parsing import parse_decimal
from scheduler.translation import _

TIME_GROUPS = {"latency_ms": "latency", "p50_ms": "p50", "p95_ms": "p95", "p99_ms": "p99"}
"""Named group to the name of a service time in a second of a load."""
AMOUNT_GROUPS = frozenset({"rate", "count", "total"})
"""Named groups for operations: per second, since the previous line, since the program's start."""
ALL_GROUPS = frozenset({*AMOUNT_GROUPS, "errors", *TIME_GROUPS})

_MOST = 1e12  # operations per second: more than any program, and sums stay exact
_PLAIN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
# `12,345` may be 12345 or 12.345: a single comma does not prove a separator of thousands.
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,}|\d{1,3}(?:['\u2019]\d{3})+(?:\.\d+)?", re.ASCII)
_SEPARATED = re.compile(r"[\d.,'\u2019 ]*\d[,'\u2019 ][\d.,'\u2019 ]*", re.ASCII)
_CUT_BEFORE = re.compile(r"(?:\d|\d[.,'\u2019]|\d[eE][+-]?|(?:^|[^\w)])[-+\u2212])$")
_CUT_AFTER = re.compile(r"\d|[.,'\u2019]\d|[eE][+-]?\d|[kKMG](?![a-zA-Z])")
_CLASSES = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_NOT_READ = _('Have the program print plain numbers, such as 12345.67, or lines {"rate": 12345.67}.')


class RateFigures(msgspec.Struct, frozen=True):
    """Figures of one line.

    Attributes:
        figure: Operations per second, or since the previous line.
        counts: True for operations since the previous line.
        errors: Number of failed operations.
        times_ms: Name of a service time (`TIME_GROUPS`) to its milliseconds.
    """

    figure: float
    counts: bool
    errors: int = 0
    times_ms: dict[str, float] = {}


class PatternMatch(msgspec.Struct, frozen=True):
    """Named groups of a match.

    Attributes:
        groups: Name to text. None for a group without a match.
        spans: Name to begin and end in the line.
        span: Begin and end of the whole match.
    """

    groups: Mapping[str, str | None]
    spans: Mapping[str, tuple[int, int]] = {}
    span: tuple[int, int] = (0, 0)


class AmbiguousNumber(Exception):
    """A number of a line has two possible values.

    `str()` names the number and the reason.
    """

    hint = _NOT_READ


def parse_number(text: str | None) -> float | None:
    """Return a number 0..1e12; None for any other text.

    Exponents are read. Separators of thousands are read if they cannot be a decimal comma: `12,345.6`, `12'345`.

    Raises:
        AmbiguousNumber: The separators allow two values: `312,74`, `12,345`.
    """
    bare = (text or "").strip()
    if _PLAIN.fullmatch(bare):
        return parse_decimal(bare.rstrip("."), 0.0, _MOST)
    if _GROUPED.fullmatch(bare):
        return parse_decimal(re.sub(r"[,'\u2019]", "", bare), 0.0, _MOST)
    if _SEPARATED.fullmatch(bare):
        raise AmbiguousNumber(_("the number {bare!r} can be read in two ways").format(bare=bare))
    return None


def refuse_partial_number(line: str, match: PatternMatch, pattern: str) -> None:
    """Refuse a match whose group is part of a longer number.

    Args:
        line: Line of output.
        match: Match of `pattern` in the line.
        pattern: Pattern of the plan. A comma written in the pattern is a separator of columns.

    Raises:
        AmbiguousNumber: A group is part of a longer number.
    """
    spelled = "," in _CLASSES.sub("", pattern)
    for name, (begin, end) in match.spans.items():
        group = line[begin:end]
        if not group or not any(map(str.isdigit, group)):
            continue
        comma_before = spelled and begin > match.span[0] and line[begin - 1] == ","
        comma_after = spelled and end < match.span[1] and line[end] == ","
        before, after = _CUT_BEFORE.search(line[:begin]), _CUT_AFTER.match(line, end)
        if (before and not comma_before) or (after and not comma_after):
            whole = re.findall(r"\S*$", line[:begin])[0] + group + re.findall(r"^\S*", line[end:])[0]
            raise AmbiguousNumber(
                _("the pattern's group {name!r} takes {group!r} out of {whole!r}").format(
                    name=name, group=group, whole=whole
                )
            )


def read_figures(groups: Mapping[str, str | None]) -> RateFigures | None:
    """Return the figures of named groups; None if the amount is no number.

    A `total` is returned unchanged. The caller subtracts the previous total.

    Raises:
        AmbiguousNumber: A number has two possible values.
    """
    counts = groups.get("rate") is None
    amount = next((groups[name] for name in ("rate", "count", "total") if groups.get(name) is not None), None)
    figure = parse_number(amount)
    if figure is None:
        return None
    times = {word: parse_number(groups.get(group)) for group, word in TIME_GROUPS.items()}
    known = {word: time_ms for word, time_ms in times.items() if time_ms is not None}
    return RateFigures(figure, counts, round(parse_number(groups.get("errors")) or 0), known)
