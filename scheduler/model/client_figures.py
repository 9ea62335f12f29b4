"""Figures of each computer that makes a part of a load."""

from collections.abc import Mapping, Sequence

import msgspec


class ClientFigures(msgspec.Struct, frozen=True):
    """Figures of one of several computers that make a load.

    Attributes:
        rate_tps: Operations of its users per second.
        users: Number of its users, without the extra reader.
        cpu_frac: CPU of its users over the CPUs left to them, 0..1; above 0.8 this computer is the limit.
        clock_error_ms: Largest possible error of its clock, milliseconds.
    """

    rate_tps: float
    users: int
    cpu_frac: float
    clock_error_ms: float


def average_clients(trials: Sequence[Mapping[str, ClientFigures]]) -> dict[str, ClientFigures]:
    """Return each computer's figures over the trials that it took part in.

    Rates and CPU are means; users and clock error are the largest values.
    """
    names = sorted({name for trial in trials for name in trial})
    return {name: _average_client([trial[name] for trial in trials if name in trial]) for name in names}


def _average_client(found: Sequence[ClientFigures]) -> ClientFigures:
    return ClientFigures(
        rate_tps=sum(each.rate_tps for each in found) / len(found),
        users=max(each.users for each in found),
        cpu_frac=sum(each.cpu_frac for each in found) / len(found),
        clock_error_ms=max(each.clock_error_ms for each in found),
    )
