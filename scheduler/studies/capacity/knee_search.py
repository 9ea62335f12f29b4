"""Which numbers of users to measure next: where the knee is, not everywhere.

First doubling numbers, once each. Then block by block those that decide: the numbers whose side of 95 % is least sure,
the best one that they are compared with, and the middle of a step that is known well enough to be halved. A block is
shuffled; what its trials have in common cancels out. Where a dip may hide the knee below, a number in that gap, too.
"""

import math
import random

from scheduler.studies.capacity.knee import CapacityCurve, KneeInterval, lowest_hidden_gap

CLOSE_RATIO = 1.3
"""A knee between numbers that are closer than so many times is known well enough."""

_SURE_CHANCE = 0.8
_MOST_UNSURE = 2
_FEWEST = 3
_PLANNING_CHANCE = 0.003


SURELY_OPEN = 0.99
"""Chance that only the highest number reaches 95 %, from which on no further trial could name a knee."""


def is_knee_known(knee: KneeInterval, close: float = CLOSE_RATIO) -> bool:
    """Return whether the knee is known well enough."""
    return knee.most <= max(1, knee.above) * close


def is_search_over(knee: KneeInterval, close: float = CLOSE_RATIO) -> bool:
    """Return whether further trials would not tell more: it is found, or the range surely ends before it."""
    return is_knee_known(knee, close) or knee.open_frac > SURELY_OPEN


def choose_next_block(curve: CapacityCurve, knee: KneeInterval, shuffler: random.Random) -> tuple[int, ...]:
    """Return the numbers of the next block, in the order in which they are to be measured."""
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
    """Return the two numbers between which the knee most likely is; the first may be 0."""
    first = curve.first_there
    place = int(sorted(first)[len(first) // 2])
    return curve.users[place - 1] if place else 0, curve.users[place]


def _middle_of_step(curve: CapacityCurve) -> set[int]:
    """Return the number in the middle of the step that the knee is in, where that is sure enough; else none."""
    below, above = _likely_interval(curve)
    place = curve.users.index(above)
    middle = _geometric_middle(below, above)
    sure = float((curve.first_there == place).mean()) > _SURE_CHANCE
    return {middle} if sure and below < middle < above and above > max(1, below) * CLOSE_RATIO else set()


def _middle_of_gap(curve: CapacityCurve) -> set[int]:
    """Return the number in the middle of the lowest gap in which a peak may hide, see `lowest_hidden`; else none."""
    place = lowest_hidden_gap(curve, curve.users.index(_likely_interval(curve)[1]))
    return set() if place is None else {_geometric_middle(*curve.users[place : place + 2])}


def _geometric_middle(below: int, above: int) -> int:
    return round(math.sqrt(max(below, 0.5) * above))
