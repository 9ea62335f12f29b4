"""Queueing model of the simulated machine in closed form.

A user's tuple passes the I/O domain (request, disk, answer), the guest and the think time, which uses no CPU of either.
Splits differ in the speed of the two domains. The parameters of the fit are logarithms, so that every cost stays above
0.
"""

import math
from typing import NamedTuple, Protocol

import numpy as np

from scheduler.model.bottleneck import Bottleneck
from scheduler.stats.queueing.mva import Floats, NetworkSolution, solve_networks

# The I/O domain's fixed part is the logistic function of a parameter times its smallest share, and never all of it.
_FIRST_FIXED_PART = -6.0  # 0.2 % of that share, which remains when the splits do not determine it
_MOST_FIXED_PART = 0.99
_HALF = 0.5


class TupleCosts(NamedTuple):
    """Costs of a tuple.

    Attributes:
        io_s: CPU of the I/O domain, seconds, >= 0.
        guest_s: CPU of the guest, seconds, >= 0.
        wait_s: Time without CPU of either domain, seconds, >= 0.
        io_fixed_frac: CPU that the I/O domain loses while it has work, fraction of one CPU.
    """

    io_s: float
    guest_s: float
    wait_s: float
    io_fixed_frac: float = 0.0


class QueueNetwork(Protocol):
    """Protocol of queueing networks with different ways to share the CPU."""

    def start(self, costs: TupleCosts) -> Floats:
        """Return the parameters of a fit that begins at these costs."""
        ...

    def costs(self, at: Floats) -> TupleCosts:
        """Return the costs of a tuple for parameters."""
        ...

    def curve(self, at: Floats) -> tuple[Floats, Floats]:
        """Return ln(throughput) of each split, and its slopes by the parameters.

        Slopes have the shape (splits, parameters).
        """
        ...

    def answer(self, costs: TupleCosts) -> list[tuple[float, Bottleneck]]:
        """Return throughput, tuples per second, and bottleneck of each split."""
        ...


class CappedNetwork:
    """Network with caps: each domain has its own CPU, and unused CPU is lost.

    Args:
        cpus: CPUs of each domain, I/O domain first, > 0; shape (splits, 2).
        users: Number of closed-loop users, >= 1.
        fixed_part: True to let the I/O domain lose a fixed part of its CPU.
    """

    def __init__(self, cpus: Floats, users: int, *, fixed_part: bool) -> None:
        self._cpus, self._users, self._fixed_part = cpus, users, fixed_part
        self._most = _MOST_FIXED_PART * float(cpus[:, 0].min())

    def start(self, costs: TupleCosts) -> Floats:
        """Return the parameters of a fit that begins at these costs.

        The fixed part begins near 0.
        """
        return np.array([*(math.log(cost) for cost in costs[:3]), *([_FIRST_FIXED_PART] if self._fixed_part else [])])

    def costs(self, at: Floats) -> TupleCosts:
        """Return the costs of a tuple for parameters."""
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
        """Return throughput, tuples per second, and bottleneck of each split."""
        solved = self._solve_costs(costs)
        rows = zip(solved.tps.tolist(), solved.weights.tolist(), solved.wait_weight.tolist(), strict=True)
        return [(tps, _find_bottleneck(io, guest, wait)) for tps, (io, guest), wait in rows]

    def _solve_costs(self, costs: TupleCosts) -> NetworkSolution:
        demands = np.array([costs.io_s, costs.guest_s]) / (self._cpus - np.array([costs.io_fixed_frac, 0.0]))
        return solve_networks(demands, costs.wait_s, self._users)


class WeightedNetwork:
    """Network with weights: both domains share all CPUs, and unused CPU is lent.

    Weights decide the order of waiting, not its length. Only the think time is fitted. All splits have the same
    throughput, so that throughput cannot separate the think time from the costs.

    Args:
        cpus: Number of CPUs that the domains share, > 0.
        splits: Number of splits.
        users: Number of closed-loop users, >= 1.
        measured: Measured CPU per tuple of both domains.
    """

    def __init__(self, cpus: float, splits: int, users: int, measured: TupleCosts) -> None:
        self._cpus, self._splits, self._users, self._measured = cpus, splits, users, measured

    def start(self, costs: TupleCosts) -> Floats:
        """Return the parameters of a fit that begins at these costs."""
        return np.array([math.log(costs.wait_s)])

    def costs(self, at: Floats) -> TupleCosts:
        """Return the costs of a tuple for parameters."""
        return self._measured._replace(wait_s=math.exp(at[0]))

    def curve(self, at: Floats) -> tuple[Floats, Floats]:
        """Return ln(throughput) of each split, and its slopes by the parameters."""
        solved = self._solve_costs(self.costs(at))
        return np.log(solved.tps), -solved.wait_weight[:, np.newaxis]

    def answer(self, costs: TupleCosts) -> list[tuple[float, Bottleneck]]:
        """Return throughput, tuples per second, and bottleneck of each split."""
        solved = self._solve_costs(costs)
        rows = zip(solved.tps.tolist(), solved.wait_weight.tolist(), strict=True)
        return [(tps, Bottleneck.CLIENT if wait >= _HALF else Bottleneck.BOTH) for tps, wait in rows]

    def _solve_costs(self, costs: TupleCosts) -> NetworkSolution:
        demand_s = (costs.io_s + costs.guest_s) / self._cpus
        return solve_networks(np.full((self._splits, 1), demand_s), costs.wait_s, self._users)


def _find_bottleneck(io: float, guest: float, wait: float) -> Bottleneck:
    """Return the station with the largest weight.

    Both domains are the bottleneck if the smaller weight is at least half of the larger one.
    """
    if wait >= _HALF:
        return Bottleneck.CLIENT
    if min(io, guest) >= _HALF * max(io, guest):
        return Bottleneck.BOTH
    return Bottleneck.IO if io > guest else Bottleneck.GUEST


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0
