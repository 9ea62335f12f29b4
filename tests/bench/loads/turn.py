"""One turn of either side, and the CPUs that both have: the server on one, the clients on the others."""

import contextlib
import os
from collections.abc import Iterator, Sequence

import msgspec


class Turn(msgspec.Struct, frozen=True):
    """One measurement: transactions per second, and CPU seconds of the client per transaction."""

    tps: float
    cpu_s: float


class Lacking(Exception):
    """A program to compare with cannot be had here; its text says which and why."""


def cpus() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the server's CPU and the clients', as on `local:`; nothing is confined where there is only one."""
    ours = sorted(os.sched_getaffinity(0))
    return (tuple(ours[:1]), tuple(ours[1:])) if len(ours) > 1 else ((), ())


def shared() -> str:
    """Return the same in words."""
    server_cpus, client_cpus = cpus()
    if not client_cpus:
        return "server and clients share one CPU"
    return f"server on CPU {server_cpus[0]}, clients on the others"


@contextlib.contextmanager
def starting_on(wanted: Sequence[int]) -> Iterator[None]:
    """Start children on these CPUs."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, wanted or before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
