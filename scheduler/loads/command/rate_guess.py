"""Guess of the rate in an unknown program's line.

The rate has the form `label: figure` or `figure unit`.
"""

import re
from collections.abc import Iterator

import msgspec

from scheduler.loads.command.line_figures import AmbiguousNumber, parse_number

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
_THOUSANDS = re.compile(r"(?:^|[^\d.,])\d{1,3} $")
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
        raise AmbiguousNumber(f"several figures stand as {shape!r}: {', '.join(sorted(others))}")
    if match.groupdict().get("next"):
        raise AmbiguousNumber(f"{match['word']!r} may belong to the figure before it or to the one behind it")
    if re.search(r"(?:^|[^\d.,])\d{1,3} $", line[: match.start("figure")]) and re.match(
        r"\d{3}(?!\d)", match["figure"]
    ):
        raise AmbiguousNumber(f"'{line[: match.end('figure')].split()[-2]} {match['figure']}' may be one number or two")
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
