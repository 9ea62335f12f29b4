"""Demand of one kind of load on a simulated machine, per operation."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Self

import msgspec

Milliseconds = Annotated[float, msgspec.Meta(ge=0, le=10_000)]
Fraction = Annotated[float, msgspec.Meta(ge=0, le=1)]
Factor = Annotated[float, msgspec.Meta(gt=0, le=100)]


class OperationDemand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Demand of one load.

    A user's operation passes the client, the I/O domain (the request), the guest, for each disk request the I/O
    domain and the disk, the guest again, the I/O domain (the answer) and the wire.

    Attributes:
        client_ms: CPU of the client machine, which all users share.
        wire_ms: Waiting without any CPU: network, and thinking.
        io_in_ms: CPU of the I/O domain for the request.
        io_out_ms: CPU of the I/O domain for the answer.
        io_disk_ms: CPU of the I/O domain per disk request.
        disk_requests: Disk requests of one operation, mean.
        disk_ms: Time of the disk per request.
        guest_ms: CPU of the guest.
        guest_stretch: Pairs (limit of the guest as fraction of a CPU, factor on `guest_ms`), by rising limit; linear
            between them. The effect of being stopped on an operation, in addition to the waiting; empty for none.
        io_backlog_frac: CPU of the I/O domain for looking after waiting requests, fraction of one CPU.
        io_user_frac: Part of its request work that the I/O domain does in user mode; the backlog's work is all user
            mode.
        guest_user_frac: The same part for the guest.
        tuples: Tuples per operation.
        variation: Coefficient of variation of an operation's size.
        in_bytes: Bytes received per tuple.
        out_bytes: Bytes sent per tuple.
    """

    guest_ms: Annotated[float, msgspec.Meta(gt=0, le=10_000)]
    client_ms: Milliseconds = 0.0
    wire_ms: Milliseconds = 0.0
    io_in_ms: Milliseconds = 0.0
    io_out_ms: Milliseconds = 0.0
    io_disk_ms: Milliseconds = 0.0
    disk_requests: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    disk_ms: Milliseconds = 0.0
    guest_stretch: tuple[tuple[Fraction, Factor], ...] = ()
    io_backlog_frac: Fraction = 0.0
    io_user_frac: Fraction = 0.3
    guest_user_frac: Fraction = 0.7
    tuples: Factor = 1.0
    variation: Annotated[float, msgspec.Meta(gt=0, le=3)] = 0.5
    in_bytes: Annotated[float, msgspec.Meta(ge=0, le=1e9)] = 200.0
    out_bytes: Annotated[float, msgspec.Meta(ge=0, le=1e9)] = 400.0

    @property
    def without_io_domain(self) -> Self:
        """The same work when the users reach the guest without the I/O domain."""
        return msgspec.structs.replace(self, io_in_ms=0.0, io_out_ms=0.0, io_disk_ms=0.0, io_backlog_frac=0.0)

    def stretch_at(self, limit_frac: float) -> float:
        """Return the factor on the guest's CPU at a limit, fraction of a CPU."""
        points = self.guest_stretch
        return _interpolate(points, limit_frac) if points else 1.0


def _interpolate(points: Sequence[tuple[float, float]], at: float) -> float:
    """Return the value between points of rising places; past the ends the last one."""
    if at <= points[0][0]:
        return points[0][1]
    for (left, low), (right, high) in pairwise(points):
        if at <= right:
            return low + (high - low) * (at - left) / (right - left)
    return points[-1][1]
