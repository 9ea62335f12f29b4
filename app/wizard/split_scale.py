"""Log-ratio scale of splits: simple ratios, presets and positions; no Qt here."""

import math
from collections.abc import Collection, Sequence
from functools import cache

from scheduler.model.setting import SplitSetting, parse_split_setting
from scheduler.model.spec import PAPER_SPLITS

END = math.log(10)  # from 1:10 to 10:1, the range of the 2007 paper's splits
TICK_SPLITS = ("1:10", "1:5", "1:2", "1:1", "2:1", "5:1", "10:1")

PRESETS: dict[str, tuple[str, ...]] = {
    "paper": PAPER_SPLITS,
    "five": ("1:5", "1:2", "1:1", "2:1", "5:1"),
    "middle": ("1:2", "3:5", "3:4", "1:1", "4:3", "5:3", "2:1"),
}

_LARGEST = 10
NICE_SPLITS = sorted(
    (f"{io}:{guest}" for io in range(1, _LARGEST + 1) for guest in range(1, _LARGEST + 1) if math.gcd(io, guest) == 1),
    key=lambda text: parse_split_setting(text).position,
)
"""All ratios of numbers up to ten in lowest terms, from 1:10 to 10:1."""


@cache  # called for each split at each width
def axis_setting(label: str) -> SplitSetting:
    """Return the split of a label.

    Raises:
        SpecError: The label is no split.
    """
    return parse_split_setting(label)


def split_position(label: str) -> float:
    """Return the position of a split, ln(I/O domain / guest).

    Raises:
        SpecError: The label is no split.
    """
    return axis_setting(label).position


def nearest_split(at: float, taken: Collection[str]) -> str | None:
    """Return the free simple split nearest to a position; None when all are taken.

    Args:
        at: Position, ln(I/O domain / guest).
        taken: Labels that are in use.
    """
    free = [text for text in NICE_SPLITS if text not in taken]
    return min(free, key=lambda text: abs(split_position(text) - at), default=None)


def next_split(label: str, step: int, taken: Collection[str]) -> str | None:
    """Return the next free simple split to the right or left; None at the end.

    Args:
        label: Split to start from.
        step: 1 for right, -1 for left.
        taken: Labels that are in use.
    """
    here = split_position(label)
    free = [text for text in NICE_SPLITS if text not in taken and (split_position(text) - here) * step > 1e-9]
    return min(free, key=lambda text: abs(split_position(text) - here), default=None)


def sort_by_position(labels: Sequence[str]) -> list[str]:
    """Return splits sorted from most for the guest to most for the I/O domain."""
    return sorted(labels, key=split_position)


def scale_end(labels: Collection[str]) -> float:
    """Return the position of the scale's ends that shows all splits, as ln of a ratio."""
    return max([END, *(abs(split_position(text)) for text in labels)])


def chip_rows(places: Sequence[float], width: float) -> list[int]:
    """Return the lowest row for each chip in which the chip overlaps no other.

    Args:
        places: Middles of the chips, ascending, pixels.
        width: Width of a chip, pixels.
    """
    right_ends: list[float] = []
    found: list[int] = []
    for place in places:
        lane = next((i for i, end in enumerate(right_ends) if place - width / 2 >= end), len(right_ends))
        if lane == len(right_ends):
            right_ends.append(0.0)
        right_ends[lane] = place + width / 2
        found.append(lane)
    return found
