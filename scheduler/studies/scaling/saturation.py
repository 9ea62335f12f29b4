"""What was full at a number of vCPUs: the guest, the I/O domain, the CPUs that both share, or the clients."""

import math
from typing import NamedTuple

from scheduler.model.host_properties import HostProperties
from scheduler.model.split import IO
from scheduler.model.study_findings import SaturatedPart

SATURATED_FRAC = 0.93  # of what a domain has; beneath it somebody could still have run (as in stats/bottleneck.py)
CLIENT_BUSY, CLIENTS_BUSY = 0.8, 0.9  # likewise


class CpuSaturation(NamedTuple):
    """CPU received at a number of vCPUs, means over the visits.

    Attributes:
        vcpus: The number.
        guest_cpus: CPU of the guest, in CPUs; None where it was not measured.
        io_cpus: CPU of the I/O domain, likewise.
        client_frac: CPU of the busiest user process, 0..1.
        clients_frac: CPU of all users over the CPUs left to them, 0..1.
        stolen_frac: Part of the CPUs' time that other machines took, 0..1.
    """

    vcpus: int
    guest_cpus: float | None
    io_cpus: float | None
    client_frac: float = 0.0
    clients_frac: float = 0.0
    stolen_frac: float = 0.0


def find_saturated(seen: CpuSaturation, facts: HostProperties | None) -> SaturatedPart:
    """Return what was full; a domain that has its CPUs to itself comes before those that both share."""
    guest, io = seen.guest_cpus or 0.0, seen.io_cpus or 0.0
    together = seen.vcpus if _shares_first_cpu(facts) else facts.pcpus if facts is not None else math.inf
    full = SATURATED_FRAC * (1.0 - seen.stolen_frac)
    if guest >= full * seen.vcpus:
        return SaturatedPart.GUEST
    if io >= full * _io_vcpu_count(facts):
        return SaturatedPart.IO
    if guest + io >= full * together:
        return SaturatedPart.BOTH
    if seen.client_frac >= CLIENT_BUSY or seen.clients_frac >= CLIENTS_BUSY:
        return SaturatedPart.CLIENT
    return SaturatedPart.NOTHING


def _shares_first_cpu(facts: HostProperties | None) -> bool:
    """Return whether the guest's first CPU is that of the I/O domain."""
    return facts is not None and bool(facts.vcpus.cpus)


def _io_vcpu_count(facts: HostProperties | None) -> int:
    return next((domain.vcpus for domain in facts.domains if domain.id == IO), 1) if facts is not None else 1
