"""Test data: a small closed-form machine, so that made-up sweeps look like real ones.

Every tuple costs CPU in the I/O domain and in the guest; caps limit each domain at its share, weights let
one use what the other leaves.
"""

import math
from collections.abc import Mapping

import msgspec

from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.model.studies import Setting

COST_US: Mapping[str, tuple[float, float]] = {"osdb-ir": (32.0, 27.0), "osdb-oltp": (30.0, 52.0)}
"""Load kind to CPU per tuple in the I/O domain and in the guest, microseconds."""

_SHARE_COST = 0.06  # what an extreme weight costs with weights, through later wake-ups


class Flow(msgspec.Struct, frozen=True):
    """The machine's steady state at one setting under one load."""

    tps: float
    delivered: Mapping[DomainId, float]
    configured: Mapping[DomainId, float]
    throttled: Mapping[DomainId, float]


def flow_at(setting: Setting | None, load: str, mode: Mode = Mode.CAPS) -> Flow:
    """Return the noise-free behaviour of the machine."""
    io_s, guest_s = (cost / 1e6 for cost in COST_US.get(load, (40.0, 40.0)))  # of a load that a test registers
    free_tps = 0.97 / (io_s + guest_s)
    if setting is None:
        return Flow(free_tps, {IO: free_tps * io_s, GUEST: free_tps * guest_s}, {}, {IO: 0.0, GUEST: 0.0})
    io, guest = setting.split.io_frac, setting.split.frac_of(GUEST)
    configured = {IO: io, GUEST: guest}
    if mode is Mode.WEIGHTS:
        off = abs(setting.position - math.log(io_s / guest_s)) / math.log(10)
        worth = 1 - _SHARE_COST * off**2  # the CPU stays full: a tuple costs more, switching between domains
        delivered = {IO: free_tps * io_s, GUEST: free_tps * guest_s}
        return Flow(free_tps * worth, delivered, configured, {IO: 0.0, GUEST: 0.0})
    limits = (io / io_s, guest / guest_s)
    tps = (limits[0] ** -12 + limits[1] ** -12) ** (-1 / 12)  # a minimum with a round corner
    delivered = {IO: tps * io_s, GUEST: tps * guest_s}
    throttled = {d: max(0.0, (delivered[d] / configured[d]) ** 8 * (1 - configured[d]) * 0.9) for d in configured}
    return Flow(tps, delivered, configured, throttled)
