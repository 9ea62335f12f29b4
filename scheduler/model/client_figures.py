"""What each computer did of a load that several make: its rate, its own limit, and how well its clock was known."""

from collections.abc import Mapping, Sequence

import msgspec


class ClientFigures(msgspec.Struct, frozen=True):
    """One of several computers that made a load.

    Attributes:
        rate_tps: What its users did per second.
        users: How many it had, the extra reader not among them.
        cpu_frac: CPU of its users over the CPUs that they have to themselves, 0..1; above 0.8 it was the limit.
        clock_error_ms: By how much its moments may have been off at most, milliseconds.
    """

    rate_tps: float
    users: int
    cpu_frac: float
    clock_error_ms: float


def average_clients(trials: Sequence[Mapping[str, ClientFigures]]) -> dict[str, ClientFigures]:
    """Return each computer's figures over the trials that it took part in: means, of its users and clock the most."""
    names = sorted({name for trial in trials for name in trial})
    return {name: _average_client([trial[name] for trial in trials if name in trial]) for name in names}


def _average_client(found: Sequence[ClientFigures]) -> ClientFigures:
    return ClientFigures(
        rate_tps=sum(each.rate_tps for each in found) / len(found),
        users=max(each.users for each in found),
        cpu_frac=sum(each.cpu_frac for each in found) / len(found),
        clock_error_ms=max(each.clock_error_ms for each in found),
    )
