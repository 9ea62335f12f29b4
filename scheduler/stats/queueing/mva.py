"""Exact solution of a closed queueing network by mean value analysis.

The network has one class of users. A user who arrives at a station finds the mean queue of a network with one user less
(Reiser and Lavenberg, Mean-value analysis of closed multichain queuing networks, JACM 27(2), 1980).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class NetworkSolution(NamedTuple):
    """Solution of several networks, one per row.

    Attributes:
        tps: Throughput of all users together, per second; shape (rows,).
        weights: Influence of each station on the throughput; shape (rows, stations). A demand that is 1 % lower gives
            that many per cent more throughput. The weights of a row and its `wait_weight` sum to 1.
        wait_weight: Influence of the think time on the throughput; shape (rows,).
    """

    tps: Floats
    weights: Floats
    wait_weight: Floats


def solve_networks(demands_s: Floats, wait_s: float | Floats, users: int) -> NetworkSolution:
    """Return the solution of networks of queueing stations with a think time.

    A station serves one user at a time, or all users at a share of its speed. The weights are the derivatives of
    ln(throughput). Let G(n) be the normalising constant, and Q(n) the mean number of users at the station. Then X(n) =
    G(n-1) / G(n) and D dln(G(n))/dD = Q(n) (Buzen, CACM 16(9), 1973). So dln(X(n))/dln(D) = Q(n-1) - Q(n).

    Args:
        demands_s: Time of an operation alone at each station, seconds, > 0; shape (rows, stations).
        wait_s: Think time per operation, in which users do not compete, seconds, >= 0; a number, or shape (rows,).
        users: Number of closed-loop users, >= 1.
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
