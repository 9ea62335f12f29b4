"""Minutes of a watched load, each a curve of throughput by split, and the one split that suits them all best.

A minute's curve is that of its queueing network (`promise.py`), moved so that its top lies where the rule points: the
rule names the split, the network tells how much worse the others are. Curves are ln(throughput), 0 at their top, so
that their mean over the minutes is what a static split loses against following at once.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from scheduler.follow.gain_model import GainCurve
from scheduler.follow.split_rule import AT_LIMIT_FRAC, WIDEST, PairLimits, PairUsage, find_target_split
from scheduler.stats.queueing.mva import Floats

_STEP = 0.05  # of ln(I/O domain / guest); 5 % of a ratio is less than any host can be told apart at
AS_GOOD_FRAC = 0.02  # what gives so little less is as good: no host can be told apart at less
GRID: Floats = np.linspace(-WIDEST, WIDEST, 2 * round(WIDEST / _STEP) + 1)


class LoadMinute(NamedTuple):
    """One minute of one load at one split.

    Attributes:
        unix_s: When it ended, seconds since 1970.
        losses: ln(throughput) on the grid of splits, 0 at its top.
        gains: ln(throughput) on the grid over that at the split that was set.
        starved: A domain was at its limit.
        blind: Both were, so that what they used is what they might.
        use: CPU used, means over its windows.
        io_saturated: The I/O domain was at its limit.
        weighs: What is set decided something: weights, because others kept the CPU full; limits, because others did
            not, or a domain was held back by its limit all the same.
    """

    unix_s: float
    losses: Floats
    gains: Floats
    starved: bool
    blind: bool
    use: PairUsage
    io_saturated: bool
    weighs: bool = True


class BestStaticSplit(msgspec.Struct, frozen=True):
    """The best static split of some minutes.

    Attributes:
        log_ratio: The split, ln(I/O domain / guest).
        gain: ln(throughput there / at the splits that were set), mean.
        following: ln(throughput of following at once / there), mean.
        low: Where the splits begin that are as good, ln(I/O domain / guest).
        high: Where they end.
    """

    log_ratio: float
    gain: float
    following: float
    low: float
    high: float


def build_minute(
    use: PairUsage, allowed: PairLimits, unix_s: float, *, weighs: bool = True, free: bool = False
) -> LoadMinute | None:
    """Return a minute; None when next to nothing was used in it.

    Args:
        use: Means over its windows.
        allowed: What the domains might use meanwhile.
        unix_s: When it ended.
        weighs: False where what is set decided nothing.
        free: True where it is known that no limit held a domain back: then they used what they needed, even all of it.
    """
    pointed = find_target_split(use, allowed)
    if pointed is None:
        return None
    curve = GainCurve(use, allowed, pointed)
    raw = curve.ln_rate(GRID)
    top = float(GRID[int(np.argmax(raw))])
    moved = curve.ln_rate(GRID + (top - pointed.log_ratio))
    here = float(curve.ln_rate(np.array([allowed.log_ratio]))[0])
    starved, blind = pointed.starved and not free, pointed.blind and not free
    io_saturated = pointed.used_frac[0] > AT_LIMIT_FRAC and not free
    return LoadMinute(unix_s, moved - moved.max(), raw - here, starved, blind, use, io_saturated, weighs)


def mean_losses(minutes: Iterable[LoadMinute]) -> Floats:
    """Return what each split of the grid loses against following, mean of ln(throughput), <= 0."""
    return np.mean([minute.losses for minute in minutes], axis=0)


def best_static(minutes: Sequence[LoadMinute]) -> BestStaticSplit:
    """Return the split that loses least over all of these minutes, of which there is at least one."""
    losses = mean_losses(minutes)
    best = int(np.argmax(losses))
    gain = float(np.mean([minute.gains[best] for minute in minutes]))
    low, high = _equally_good(losses, best)
    return BestStaticSplit(float(GRID[best]), gain, -float(losses[best]), float(GRID[low]), float(GRID[high]))


def grid_index(log_ratio: float) -> int:
    """Return the index on the grid of the split nearest to ln(I/O domain / guest)."""
    return int(np.argmin(np.abs(GRID - log_ratio)))


def _equally_good(losses: Floats, best: int) -> tuple[int, int]:
    """Return the places on the grid between which every split is as good as the best one."""
    worse = np.flatnonzero(losses < losses[best] - math.log1p(AS_GOOD_FRAC))
    below, above = worse[worse < best], worse[worse > best]
    return (int(below[-1]) + 1 if len(below) else 0, int(above[0]) - 1 if len(above) else len(losses) - 1)
