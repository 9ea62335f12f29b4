"""Search for the knee: choice of the numbers of users to measure next.

First come doubling numbers, once each. Each later block contains the numbers that decide. These are the numbers whose
side of 95 % is least certain, the best number, and the middle of a step that is certain enough to be halved. Where a
dip may hide the knee below, a number in that gap is added. A block is shuffled, and its common luck cancels.
"""

import math
import random

from scheduler.studies.capacity.knee import CapacityCurve, KneeInterval, lowest_hidden_gap

CLOSE_RATIO = 1.3
"""Ratio of the ends of an interval at which the knee is known well enough."""

_SURE_CHANCE = 0.8
_MOST_UNSURE = 2
_FEWEST = 3
_PLANNING_CHANCE = 0.003


SURELY_OPEN = 0.99
"""Chance that only the largest number reaches 95 %, above which no further trial could show a knee."""


def is_knee_known(knee: KneeInterval, close: float = CLOSE_RATIO) -> bool:
    """Return True when the interval of the knee is narrow enough.

    Args:
        knee: The knee.
        close: Largest ratio of the ends of a narrow interval, > 1.
    """
    return knee.most <= max(1, knee.above) * close


def is_search_over(knee: KneeInterval, close: float = CLOSE_RATIO) -> bool:
    """Return True when further trials would show nothing new.

    The knee is known, or the range certainly ends before the knee.

    Args:
        knee: The knee.
        close: Largest ratio of the ends of a narrow interval, > 1.
    """
    return is_knee_known(knee, close) or knee.open_frac > SURELY_OPEN


def choose_next_block(curve: CapacityCurve, knee: KneeInterval, shuffler: random.Random) -> tuple[int, ...]:
    """Return the numbers of users of the next block, in the order of measuring.

    Args:
        curve: The curve so far.
        knee: Its knee.
        shuffler: Source of the random order.
    """
    chances = curve.reach_chances
    unsure = sorted(
        (abs(chance - 0.5), users)
        for users, chance in zip(curve.users, map(float, chances), strict=True)
        if _PLANNING_CHANCE < chance < 1 - _PLANNING_CHANCE and knee.above <= users <= knee.most
    )
    wanted = {users for _, users in unsure[:_MOST_UNSURE]}
    wanted.add(curve.users[int(curve.highest.argmax())])
    wanted |= _middle_of_step(curve) | _middle_of_gap(curve)
    for users in _likely_interval(curve):
        if len(wanted) < _FEWEST and users:
            wanted.add(users)
    block = sorted(wanted)
    shuffler.shuffle(block)
    return tuple(block)


def _likely_interval(curve: CapacityCurve) -> tuple[int, int]:
    """Return the two numbers around the most likely knee; the first may be 0."""
    first = curve.first_there
    place = int(sorted(first)[len(first) // 2])
    return curve.users[place - 1] if place else 0, curve.users[place]


def _middle_of_step(curve: CapacityCurve) -> set[int]:
    """Return the middle of the knee's step, where the step is certain; else none."""
    below, above = _likely_interval(curve)
    place = curve.users.index(above)
    middle = _geometric_middle(below, above)
    sure = float((curve.first_there == place).mean()) > _SURE_CHANCE
    return {middle} if sure and below < middle < above and above > max(1, below) * CLOSE_RATIO else set()


def _middle_of_gap(curve: CapacityCurve) -> set[int]:
    """Return the middle of the lowest gap in which a peak may hide; else none.

    See `lowest_hidden_gap`.
    """
    place = lowest_hidden_gap(curve, curve.users.index(_likely_interval(curve)[1]))
    return set() if place is None else {_geometric_middle(*curve.users[place : place + 2])}


def _geometric_middle(below: int, above: int) -> int:
    return round(math.sqrt(max(below, 0.5) * above))
