"""Mixed demand: users of a simulated machine whose operations are of two kinds."""

from typing import NamedTuple

from scheduler.sim.demand import OperationDemand


class AddedLoad(NamedTuple):
    """Second kind of a load's operations, empty for none, and its part of them, 0..1."""

    kind: str = ""
    frac: float = 0.0


NO_ADDED_LOAD = AddedLoad()


def mix_demands(one: OperationDemand, other: OperationDemand, other_frac: float) -> OperationDemand:
    """Return the mean operation of two kinds.

    A domain's CPU is the sum over all operations. Fractions of a domain's work are weighed by that work, and so is
    the guest's stretch at each limit.

    Args:
        one: First kind.
        other: Second kind.
        other_frac: Part of the operations that are of the second kind, 0..1.
    """
    parts = (1.0 - other_frac, other_frac)
    both = tuple(zip(parts, (one, other), strict=True))

    def mean(name: str) -> float:
        return sum(part * float(getattr(demand, name)) for part, demand in both)

    def weighed(name: str, weights: tuple[float, float]) -> float:
        total = sum(weights)
        values = (float(getattr(demand, name)) for demand in (one, other))
        return sum(value * weight for value, weight in zip(values, weights, strict=True)) / total if total else 0.0

    io = (parts[0] * _io_ms(one), parts[1] * _io_ms(other))
    guest = (parts[0] * one.guest_ms, parts[1] * other.guest_ms)
    limits = sorted({limit for demand in (one, other) for limit, _ in demand.guest_stretch})
    means = ("guest_ms", "client_ms", "wire_ms", "io_in_ms", "io_out_ms", "disk_requests", "tuples")
    by_request = (parts[0] * one.disk_requests, parts[1] * other.disk_requests)
    by_tuple = (parts[0] * one.tuples, parts[1] * other.tuples)
    return OperationDemand(
        **{name: mean(name) for name in (*means, "io_backlog_frac", "variation")},
        **{name: weighed(name, by_request) for name in ("io_disk_ms", "disk_ms")},
        **{name: weighed(name, by_tuple) for name in ("in_bytes", "out_bytes")},
        guest_stretch=tuple((limit, _mixed_stretch(one, other, guest, limit)) for limit in limits),
        io_user_frac=weighed("io_user_frac", io),
        guest_user_frac=weighed("guest_user_frac", guest),
    )


def _io_ms(demand: OperationDemand) -> float:
    """Return the CPU of the I/O domain for one operation, ms."""
    return demand.io_in_ms + demand.io_out_ms + demand.disk_requests * demand.io_disk_ms


def _mixed_stretch(one: OperationDemand, other: OperationDemand, guest_ms: tuple[float, float], limit: float) -> float:
    stretched = one.stretch_at(limit) * guest_ms[0] + other.stretch_at(limit) * guest_ms[1]
    return stretched / sum(guest_ms)
