"""Estimate the throughput of other splits: a closed queueing network fitted to one point, and curves by minute.

Stations are the I/O domain and the guest, the unit of work is the guest's CPU per transaction: demands r / q_io and
1 / q_g, and a waiting Z that no split changes. Of the waitings tried, the one counts with which the network does at the
present split what was seen there: the guest's CPU per second, b_g / left. A load that its clients limit so gets a long
waiting, and is promised nothing. Solved exactly (`stats/queueing/mva.py`), with a number of users that is assumed.

A minute's curve is that of its network, moved so that its top lies where the rule points: the rule names the split, the
network tells how much worse the others are. Curves are ln(throughput), 0 at their top, so that their mean over the
minutes is what a static split loses against following at once.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from scheduler.follow.split_rule import AT_LIMIT_FRAC, WIDEST, PairLimits, PairUsage, TargetSplit, find_target_split
from scheduler.stats.queueing.mva import Floats, solve_networks

# Assumed: 30 in its place costs following up to 0.6, 4 up to 3.1 points of the throughput (reference simulation).
USERS = 12
# Waitings tried, in units of what a transaction costs both domains together.
_WAITS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)


class GainCurve:
    """Throughput by split, as the network has it; only its shape means something.

    Args:
        use: What both domains used.
        allowed: What they might use meanwhile.
        pointed: What the rule made of that.
    """

    def __init__(self, use: PairUsage, allowed: PairLimits, pointed: TargetSplit) -> None:
        self._allowed = allowed
        self._cost_ratio = pointed.cost_ratio
        seen = use.guest_cpus / use.left_frac
        waits = np.array(_WAITS) * (1 + pointed.cost_ratio)
        here = np.full(len(waits), allowed.log_ratio)
        self.wait = float(waits[np.argmin(np.abs(np.exp(self._ln_rate(here, waits)) - seen))])

    def ln_rate(self, log_ratios: Floats) -> Floats:
        """Return ln(throughput) at splits, ln(I/O domain / guest); in the guest's CPU per second."""
        return self._ln_rate(log_ratios, self.wait)

    def promise(self, log_ratio: float, over: float | None = None) -> float:
        """Return ln(throughput there / throughput at another split, the present one if absent)."""
        there, here = self.ln_rate(np.array([log_ratio, self._allowed.log_ratio if over is None else over]))
        return float(there - here)

    def _ln_rate(self, log_ratios: Floats, wait: float | Floats) -> Floats:
        io_frac = 1 / (1 + np.exp(-log_ratios))
        parts = self._allowed.total_cpus * np.stack([io_frac, 1 - io_frac], axis=1)
        cpus = np.minimum(parts, self._allowed.most_cpus)
        return np.log(solve_networks(np.array([self._cost_ratio, 1.0]) / cpus, wait, USERS).tps)


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
