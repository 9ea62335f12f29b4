"""The simulated machine's queueing model in closed form: I/O domain, guest, and waiting that takes no CPU of theirs.

A user's tuple passes the I/O domain (request, disk, answer), the guest and the waiting. What differs between splits is
how fast the two domains are. The parameters of the fit are logarithms, so that every cost stays above 0.
"""

import math
from typing import NamedTuple, Protocol

import numpy as np

from scheduler.model.bottleneck import Bottleneck
from scheduler.stats.queueing.mva import Floats, NetworkSolution, solve_networks

# The I/O domain's fixed part is the logistic function of a parameter times its smallest share, and never all of it.
_FIRST_FIXED_PART = -6.0  # 0.2 % of that share, which stays where the splits do not tell
_MOST_FIXED_PART = 0.99
_HALF = 0.5


class TupleCosts(NamedTuple):
    """What a tuple costs.

    Attributes:
        io_s: CPU of the I/O domain, seconds.
        guest_s: CPU of the guest, seconds.
        wait_s: Time that is not CPU of either, seconds.
        io_fixed_frac: CPU that the I/O domain loses while it has work, fraction of one CPU.
    """

    io_s: float
    guest_s: float
    wait_s: float
    io_fixed_frac: float = 0.0


class QueueNetwork(Protocol):
    """How the two domains share the CPU."""

    def start(self, costs: TupleCosts) -> Floats:
        """Return the parameters of a fit that begins at these costs."""
        ...

    def costs(self, at: Floats) -> TupleCosts:
        """Return what parameters mean."""
        ...

    def curve(self, at: Floats) -> tuple[Floats, Floats]:
        """Return ln(throughput) of each split, and its slopes by the parameters."""
        ...

    def answer(self, costs: TupleCosts) -> list[tuple[float, Bottleneck]]:
        """Return throughput, tuples per second, and bottleneck of each split."""
        ...


class CappedNetwork:
    """Each domain has CPU of its own, and what it leaves is lost.

    Args:
        cpus: Split, domain (I/O domain first) to the CPUs that it has, > 0.
        users: Closed-loop users.
        fixed_part: True to let the I/O domain lose a fixed part of its CPU.
    """

    def __init__(self, cpus: Floats, users: int, *, fixed_part: bool) -> None:
        self._cpus, self._users, self._fixed_part = cpus, users, fixed_part
        self._most = _MOST_FIXED_PART * float(cpus[:, 0].min())

    def start(self, costs: TupleCosts) -> Floats:
        """Return the parameters of a fit that begins at these costs, with next to no fixed part."""
        return np.array([*(math.log(cost) for cost in costs[:3]), *([_FIRST_FIXED_PART] if self._fixed_part else [])])

    def costs(self, at: Floats) -> TupleCosts:
        """Return what parameters mean."""
        io_s, guest_s, wait_s = (math.exp(value) for value in at[:3])
        return TupleCosts(io_s, guest_s, wait_s, self._most * _logistic(at[3]) if self._fixed_part else 0.0)

    def curve(self, at: Floats) -> tuple[Floats, Floats]:
        """Return ln(throughput) of each split, and its slopes by the parameters."""
        costs = self.costs(at)
        solved = self._solve_costs(costs)
        slopes = [-solved.weights[:, 0], -solved.weights[:, 1], -solved.wait_weight]
        if self._fixed_part:
            rise = costs.io_fixed_frac * (1 - costs.io_fixed_frac / self._most)
            slopes.append(-solved.weights[:, 0] * rise / (self._cpus[:, 0] - costs.io_fixed_frac))
        return np.log(solved.tps), np.stack(slopes, axis=1)

    def answer(self, costs: TupleCosts) -> list[tuple[float, Bottleneck]]:
        """Return throughput and bottleneck of each split."""
        solved = self._solve_costs(costs)
        rows = zip(solved.tps.tolist(), solved.weights.tolist(), solved.wait_weight.tolist(), strict=True)
        return [(tps, _find_bottleneck(io, guest, wait)) for tps, (io, guest), wait in rows]

    def _solve_costs(self, costs: TupleCosts) -> NetworkSolution:
        demands = np.array([costs.io_s, costs.guest_s]) / (self._cpus - np.array([costs.io_fixed_frac, 0.0]))
        return solve_networks(demands, costs.wait_s, self._users)


class WeightedNetwork:
    """Both domains share all of the CPU, and each uses what the other leaves: weights decide who waits, not how long.

    Only the waiting is fitted: as every split does the same, throughput cannot tell it from what a tuple costs.

    Args:
        cpus: Number of CPUs that the domains share.
        splits: Number of splits.
        users: Closed-loop users.
        measured: CPU per tuple of both domains, as measured.
    """

    def __init__(self, cpus: float, splits: int, users: int, measured: TupleCosts) -> None:
        self._cpus, self._splits, self._users, self._measured = cpus, splits, users, measured

    def start(self, costs: TupleCosts) -> Floats:
        """Return the parameters of a fit that begins at these costs."""
        return np.array([math.log(costs.wait_s)])

    def costs(self, at: Floats) -> TupleCosts:
        """Return what parameters mean."""
        return self._measured._replace(wait_s=math.exp(at[0]))

    def curve(self, at: Floats) -> tuple[Floats, Floats]:
        """Return ln(throughput) of each split, and its slopes by the parameters."""
        solved = self._solve_costs(self.costs(at))
        return np.log(solved.tps), -solved.wait_weight[:, np.newaxis]

    def answer(self, costs: TupleCosts) -> list[tuple[float, Bottleneck]]:
        """Return throughput and bottleneck of each split."""
        solved = self._solve_costs(costs)
        rows = zip(solved.tps.tolist(), solved.wait_weight.tolist(), strict=True)
        return [(tps, Bottleneck.CLIENT if wait >= _HALF else Bottleneck.BOTH) for tps, wait in rows]

    def _solve_costs(self, costs: TupleCosts) -> NetworkSolution:
        demand_s = (costs.io_s + costs.guest_s) / self._cpus
        return solve_networks(np.full((self._splits, 1), demand_s), costs.wait_s, self._users)


def _find_bottleneck(io: float, guest: float, wait: float) -> Bottleneck:
    """Return what decides most of the throughput; both domains when the lesser decides half as much as the other."""
    if wait >= _HALF:
        return Bottleneck.CLIENT
    if min(io, guest) >= _HALF * max(io, guest):
        return Bottleneck.BOTH
    return Bottleneck.IO if io > guest else Bottleneck.GUEST


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0
