"""What the worst split of a range costs: told before anybody agrees to it."""

import math

import msgspec

from scheduler.errors import SpecError
from scheduler.follow.gain_model import GainCurve
from scheduler.follow.move_decision import FollowBounds
from scheduler.follow.split_rule import WIDEST, PairLimits, PairUsage, find_target_split
from scheduler.model.split import Split, parse_split

_FIELD = "--range"
_HINT = "Write two splits from 1:9 to 9:1, the one with less for the I/O domain first, for example 1:5..5:1."
_ROUNDING = 1e-9


class WorstCase(msgspec.Struct, frozen=True):
    """The worst that following can do as long as it goes on.

    Attributes:
        log_ratio: The worst split of the range, ln(I/O domain / guest).
        part: What it would do of what is done now, 0.3 for 30 %; None where that cannot be told.
    """

    log_ratio: float
    part: float | None


def parse_range(text: str) -> tuple[Split, Split]:
    """Read `1:5..5:1`; raises SpecError."""
    low, dots, high = text.partition("..")
    if not dots:
        raise SpecError(_FIELD, f"{text!r} is no range of splits", hint=_HINT)
    ends = parse_split(low, _FIELD), parse_split(high, _FIELD)
    first, second = map(log_ratio_of, ends)
    if not -WIDEST - _ROUNDING <= first < second <= WIDEST + _ROUNDING:
        raise SpecError(_FIELD, f"{text!r} holds no two splits from 1:9 to 9:1, the smaller one first", hint=_HINT)
    return ends


def follow_bounds(ends: tuple[Split, Split]) -> FollowBounds:
    """Return what following may do within a range."""
    low, high = map(log_ratio_of, ends)
    return FollowBounds(low=max(low, -WIDEST), high=min(high, WIDEST))


def log_ratio_of(split: Split) -> float:
    """Return a split as ln(I/O domain / guest)."""
    return math.log(split.io / split.guest)


def find_worst_case(use: PairUsage | None, allowed: PairLimits, bounds: FollowBounds) -> WorstCase:
    """Return the worst end of a range under the load of the moment; curves fall towards both ends."""
    pointed = find_target_split(use, allowed) if use is not None else None
    if use is None or pointed is None:
        far = max((bounds.low, bounds.high), key=lambda end: abs(end - allowed.log_ratio))
        return WorstCase(far, None)
    curve = GainCurve(use, allowed, pointed)
    promise, end = min((curve.promise(end), end) for end in (bounds.low, bounds.high))
    return WorstCase(end, math.exp(min(0.0, promise)))
