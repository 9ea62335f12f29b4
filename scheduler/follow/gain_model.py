"""What a split would give, relative to the one that is set: a closed queueing network fitted to a single point.

Stations are the I/O domain and the guest, the unit of work is the guest's CPU per transaction: demands r / q_io and
1 / q_g, and a waiting Z that no split changes. Of the waitings tried, the one counts with which the network does at the
present split what was seen there: the guest's CPU per second, b_g / left. A load that its clients limit so gets a long
waiting, and is promised nothing. Solved exactly (`stats/queueing/mva.py`), with a number of users that is assumed.
"""

import numpy as np

from scheduler.follow.split_rule import PairLimits, PairUsage, TargetSplit
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
