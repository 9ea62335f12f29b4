"""Counters of both sides, which never decrease."""

from scheduler.hosts.libvirt.worker_answers import DomainCounters
from scheduler.model.host_properties import DomainUsage
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.toolstacks.virsh import IoSide

_NS = 1e-9


def count_domain(seen: DomainCounters) -> DomainUsage:
    """Return the counters of a whole domain."""
    return _build_usage(seen, (seen.cpu_ns - seen.system_ns) * _NS, seen.system_ns * _NS)


def count_vcpus(seen: DomainCounters) -> DomainUsage:
    """Return the counters of a QEMU domain's vCPUs, without the emulator."""
    return _build_usage(seen, seen.vcpu_ns * _NS, 0.0)


def count_emulator(seen: DomainCounters) -> DomainUsage:
    """Return the counters of a domain's emulator: main loop, I/O threads, vhost.

    libvirt reports user and kernel time only for the whole domain. The estimate assigns kernel time to this side first,
    since these threads spend their time in the kernel. The sum is exact.
    """
    rest_ns = max(0, seen.cpu_ns - seen.vcpu_ns)
    system_ns = min(rest_ns, seen.system_ns)
    return _build_usage(seen, (rest_ns - system_ns) * _NS, system_ns * _NS)


def count_role(domain: DomainId, side: IoSide, seen: DomainCounters) -> DomainUsage:
    """Return the counters of one side of the sweep.

    Args:
        domain: The domain.
        side: The kind of the I/O side.
        seen: Counters of the libvirt domain.
    """
    if side is IoSide.DOMAIN:
        return count_domain(seen)
    return {IO: count_emulator, GUEST: count_vcpus}[domain](seen)


def keep_monotonic(before: DomainUsage | None, now: DomainUsage) -> DomainUsage:
    """Return the newer counters, none below the older ones.

    The difference of two clocks of 10 ms may decrease.

    Args:
        before: The older counters; None for the first.
        now: The newer counters.
    """
    if before is None:
        return now
    return DomainUsage(
        user_s=max(before.user_s, now.user_s),
        system_s=max(before.system_s, now.system_s),
        memory_bytes=now.memory_bytes,
        in_bytes=max(before.in_bytes, now.in_bytes),
        out_bytes=max(before.out_bytes, now.out_bytes),
    )


def _build_usage(seen: DomainCounters, user_s: float, system_s: float) -> DomainUsage:
    return DomainUsage(
        user_s=max(0.0, user_s),
        system_s=max(0.0, system_s),
        memory_bytes=seen.memory_kib * 1024,
        in_bytes=seen.in_bytes,
        out_bytes=seen.out_bytes,
    )
