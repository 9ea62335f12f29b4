"""The log-ratio scale of the splits: nice ratios to snap to, presets, positions. No Qt here."""

import math
from collections.abc import Collection, Sequence
from functools import cache

from scheduler.model.setting import SplitSetting, parse_split_setting
from scheduler.model.spec import PAPER_SPLITS

END = math.log(10)  # the scale goes from 1:10 to 10:1, as the paper's splits do
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


@cache  # asked for each split at each width
def axis_setting(label: str) -> SplitSetting:
    """Return the split of a text in the form; raises SpecError for what is not a split."""
    return parse_split_setting(label)


def split_position(label: str) -> float:
    """Return where a split stands, ln(I/O domain / guest); raises SpecError for what is not a split."""
    return axis_setting(label).position


def nearest_split(at: float, taken: Collection[str]) -> str | None:
    """Return the nice split nearest to a position that is not taken yet; None when all are."""
    free = [text for text in NICE_SPLITS if text not in taken]
    return min(free, key=lambda text: abs(split_position(text) - at), default=None)


def next_split(label: str, step: int, taken: Collection[str]) -> str | None:
    """Return the next nice split to the right (`step` 1) or left (-1) that is not taken; None at the end."""
    here = split_position(label)
    free = [text for text in NICE_SPLITS if text not in taken and (split_position(text) - here) * step > 1e-9]
    return min(free, key=lambda text: abs(split_position(text) - here), default=None)


def sort_by_position(labels: Sequence[str]) -> list[str]:
    """Return splits from the one that favours the guest most to the one that favours the I/O domain most."""
    return sorted(labels, key=split_position)


def scale_end(labels: Collection[str]) -> float:
    """Return how far the scale must go to either side to show all splits."""
    return max([END, *(abs(split_position(text)) for text in labels)])


def chip_rows(places: Sequence[float], width: float) -> list[int]:
    """Return for each place, ascending, the lowest lane in which a chip of that width hits no other."""
    right_ends: list[float] = []
    found: list[int] = []
    for place in places:
        lane = next((i for i, end in enumerate(right_ends) if place - width / 2 >= end), len(right_ends))
        if lane == len(right_ends):
            right_ends.append(0.0)
        right_ends[lane] = place + width / 2
        found.append(lane)
    return found
