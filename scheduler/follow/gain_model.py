"""Predicted throughput of other splits, by a closed queueing network.

The network is fitted to one point. Its stations are the I/O domain and the guest. The unit of work is the guest's CPU
per transaction. The demands are r / q_io and 1 / q_g, and no split changes the think time Z. The fit chooses Z so that
the network reproduces the guest's CPU per second at the present split, b_g / left. A load that its clients limit so has
a long think time and a predicted gain near 0. The network is solved exactly (`stats/queueing/mva.py`) for an assumed
number of users.

The curve of a minute is the curve of its network, shifted so that its top lies at the target split. The rule names the
split, and the network shows the loss at other splits. Curves are ln(throughput), 0 at their top. Their mean over the
minutes is the loss of a static split against following without delay.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from scheduler.follow.split_rule import AT_LIMIT_FRAC, WIDEST, PairLimits, PairUsage, TargetSplit, find_target_split
from scheduler.stats.queueing.mva import Floats, solve_networks

# An assumption: 30 costs following up to 0.6 percentage points of throughput, 4 up to 3.1 (reference simulation).
USERS = 12
# Think times tried, in units of the CPU that a transaction costs both domains together.
_WAITS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)


class GainCurve:
    """Throughput by split according to the network.

    Only the curve's shape is meaningful.

    Args:
        use: CPU used by both domains.
        allowed: CPU allotted to both domains meanwhile.
        pointed: The target split for this use.
    """

    def __init__(self, use: PairUsage, allowed: PairLimits, pointed: TargetSplit) -> None:
        self._allowed = allowed
        self._cost_ratio = pointed.cost_ratio
        seen = use.guest_cpus / use.left_frac
        waits = np.array(_WAITS) * (1 + pointed.cost_ratio)
        here = np.full(len(waits), allowed.log_ratio)
        self.wait = float(waits[np.argmin(np.abs(np.exp(self._ln_rate(here, waits)) - seen))])

    def ln_rate(self, log_ratios: Floats) -> Floats:
        """Return ln(throughput) at each split, throughput in guest CPU per second.

        `log_ratios` are splits as ln(I/O domain / guest).
        """
        return self._ln_rate(log_ratios, self.wait)

    def predicted_gain(self, log_ratio: float, over: float | None = None) -> float:
        """Return the predicted gain of a split over another split, in ln(throughput).

        Args:
            log_ratio: The split, ln(I/O domain / guest).
            over: The other split, ln(I/O domain / guest); None for the present split.
        """
        there, here = self.ln_rate(np.array([log_ratio, self._allowed.log_ratio if over is None else over]))
        return float(there - here)

    def _ln_rate(self, log_ratios: Floats, wait: float | Floats) -> Floats:
        io_frac = 1 / (1 + np.exp(-log_ratios))
        parts = self._allowed.total_cpus * np.stack([io_frac, 1 - io_frac], axis=1)
        cpus = np.minimum(parts, self._allowed.most_cpus)
        return np.log(solve_networks(np.array([self._cost_ratio, 1.0]) / cpus, wait, USERS).tps)


_STEP = 0.05  # of ln(I/O domain / guest); no measurement resolves 5 % of a ratio
AS_GOOD_FRAC = 0.02  # a split this close to the best is as good: no measurement resolves less
GRID: Floats = np.linspace(-WIDEST, WIDEST, 2 * round(WIDEST / _STEP) + 1)


class LoadMinute(NamedTuple):
    """One minute of one load at one split.

    Attributes:
        unix_s: End of the minute, seconds since 1970.
        losses: ln(throughput) on the grid of splits, 0 at the top.
        gains: ln(throughput) on the grid, relative to the split that was set.
        starved: True when a domain was saturated.
        blind: True when both domains were saturated, so that they used all the CPU allotted.
        use: CPU used by both domains, means over the windows.
        io_saturated: True when the I/O domain was saturated.
        weighs: True when the split decided something. Weights decide when others saturate the CPU. Caps decide when
            others do not, or when a cap throttled a domain.
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
    """Best static split of some minutes.

    Attributes:
        log_ratio: The split, ln(I/O domain / guest).
        gain: ln(throughput at this split / at the splits that were set), mean.
        following: ln(throughput of following without delay / at this split), mean.
        low: Lower end of the splits that are as good, ln(I/O domain / guest).
        high: Upper end of the splits that are as good, ln(I/O domain / guest).
    """

    log_ratio: float
    gain: float
    following: float
    low: float
    high: float


def build_minute(
    use: PairUsage, allowed: PairLimits, unix_s: float, *, weighs: bool = True, free: bool = False
) -> LoadMinute | None:
    """Return a minute of a load; None when next to no CPU was used.

    Args:
        use: CPU used by both domains, means over the windows.
        allowed: CPU allotted to both domains meanwhile.
        unix_s: End of the minute, seconds since 1970.
        weighs: False when the split decided nothing.
        free: True when it is known that no cap throttled a domain: both then used what they needed.
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
    """Return the mean loss of each split of the grid, ln(throughput), <= 0."""
    return np.mean([minute.losses for minute in minutes], axis=0)


def best_static(minutes: Sequence[LoadMinute]) -> BestStaticSplit:
    """Return the split that loses least over all minutes, at least one."""
    losses = mean_losses(minutes)
    best = int(np.argmax(losses))
    gain = float(np.mean([minute.gains[best] for minute in minutes]))
    low, high = _equally_good(losses, best)
    return BestStaticSplit(float(GRID[best]), gain, -float(losses[best]), float(GRID[low]), float(GRID[high]))


def grid_index(log_ratio: float) -> int:
    """Return the index on the grid of the split nearest to ln(I/O domain / guest)."""
    return int(np.argmin(np.abs(GRID - log_ratio)))


def _equally_good(losses: Floats, best: int) -> tuple[int, int]:
    """Return the first and last grid index of the splits that are as good."""
    worse = np.flatnonzero(losses < losses[best] - math.log1p(AS_GOOD_FRAC))
    below, above = worse[worse < best], worse[worse > best]
    return (int(below[-1]) + 1 if len(below) else 0, int(above[0]) - 1 if len(above) else len(losses) - 1)
