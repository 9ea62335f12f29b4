"""A closed queueing network with one class of users, solved exactly by mean value analysis.

Reiser and Lavenberg, Mean-value analysis of closed multichain queuing networks, JACM 27(2), 1980: a user who arrives
at a station finds there what it holds on average with one user less.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class NetworkSolution(NamedTuple):
    """Many networks in one go, a row each.

    Attributes:
        tps: Throughput of all users together, per second.
        weights: Row, station to the part of the throughput that this station decides: its demand 1 % lower gives
            so many percent more. All weights of a row sum to 1 together with that of the waiting.
        wait_weight: Likewise for the waiting.
    """

    tps: Floats
    weights: Floats
    wait_weight: Floats


def solve_networks(demands_s: Floats, wait_s: float | Floats, users: int) -> NetworkSolution:
    """Solve networks of stations that serve one user at a time, or all of them at a part of the speed.

    The weights are the derivatives of ln(throughput). With G(n) for the normalising constant, X(n) = G(n-1) / G(n)
    and D dln(G(n))/dD = Q(n), the mean number of users at the station (Buzen, CACM 16(9), 1973): so that
    dln(X(n))/dln(D) = Q(n-1) - Q(n).

    Args:
        demands_s: Row, station to the time that an operation takes there alone, > 0.
        wait_s: Time per operation that no user takes from another, >= 0; one for all rows, or one for each.
        users: Closed-loop users, >= 1.
    """
    rows = len(demands_s)
    queue, tps = np.zeros_like(demands_s), np.zeros(rows)
    fewer, slower = queue, tps
    for n in range(1, users + 1):
        fewer, slower = queue, tps
        stay_s = demands_s * (1.0 + fewer)
        tps = n / (wait_s + stay_s.sum(axis=1))
        queue = tps[:, np.newaxis] * stay_s
    return NetworkSolution(tps, queue - fewer, (tps - slower) * wait_s)
