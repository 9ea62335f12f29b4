"""Counters of the domains, for less than a millisecond of CPU per reading."""

import os
from collections.abc import Mapping
from pathlib import Path

from scheduler.hosts.local.cgroup_dialect import CpuTimes
from scheduler.hosts.local.control_groups import ControlGroups
from scheduler.hosts.local.domain_processes import DomainProcesses
from scheduler.model.host_properties import DomainUsage
from scheduler.model.split import ROLES, DomainId

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_NOTHING = CpuTimes(0.0, 0.0, 0.0, 0.0)


class GroupUsage:
    """Counters that continue when a group is removed and created again.

    The kernel's counters then restart at 0.

    Args:
        groups: The groups.
        domains: Processes of the domains.
    """

    def __init__(self, groups: ControlGroups, domains: DomainProcesses) -> None:
        self._groups = groups
        self._domains = domains
        self._seen: dict[DomainId, CpuTimes] = dict.fromkeys(ROLES, _NOTHING)
        self._sums: dict[DomainId, CpuTimes] = dict.fromkeys(ROLES, _NOTHING)

    def look(self) -> Mapping[DomainId, DomainUsage]:
        """Return the counters of all domains."""
        return {domain: self._read_domain(domain, *self._domains.bytes_of(domain)) for domain in self._groups.domains}

    def take(self, domain: DomainId) -> CpuTimes:
        """Add the kernel's count since the last reading.

        Call this before a group's removal, too.
        """
        now = self._groups.times(domain)
        if now is not None:
            self._sums[domain] = _add_counters(self._sums[domain], self._seen[domain], now)
        self._seen[domain] = now or _NOTHING
        return self._sums[domain]

    def _read_domain(self, domain: DomainId, in_bytes: int, out_bytes: int) -> DomainUsage:
        times = self.take(domain)
        return DomainUsage(
            user_s=times.user_s,
            system_s=times.system_s,
            memory_bytes=measure_memory_bytes(self._groups.pids(domain)),
            in_bytes=in_bytes,
            out_bytes=out_bytes,
            throttled_s=times.throttled_s,
        )


def measure_memory_bytes(pids: list[int]) -> int:
    """Return the memory of related processes, bytes.

    The sum consists of all private memory and the largest shared part. The memory controller does not help: pages stay
    charged to the group in which they were first touched, and DomTune starts its processes outside of the groups.
    """
    alone = shared = 0
    for pid in pids:
        try:
            _, resident, common, *_ = map(int, Path(f"/proc/{pid}/statm").read_bytes().split())
        except (OSError, ValueError):  # the process ended in the meantime
            continue
        alone += resident - common
        shared = max(shared, common)
    return (alone + shared) * _PAGE_BYTES


def _add_counters(sums: CpuTimes, before: CpuTimes, now: CpuTimes) -> CpuTimes:
    if now.total_s < before.total_s:
        before = _NOTHING
    total_s = now.total_s - before.total_s
    user_s, system_s = max(0.0, now.user_s - before.user_s), max(0.0, now.system_s - before.system_s)
    user_frac = user_s / (user_s + system_s) if user_s + system_s > 0 else 0.5
    return CpuTimes(
        total_s=sums.total_s + total_s,
        user_s=sums.user_s + total_s * user_frac,
        system_s=sums.system_s + total_s * (1 - user_frac),
        throttled_s=sums.throttled_s + max(0.0, now.throttled_s - before.throttled_s),
    )
