"""CPUs on which a domain may run, from its pins or its description."""

import re
from collections.abc import Iterable

from scheduler.hosts.libvirt.worker_answers import DomainDescription, parse_description

_RANGE = re.compile(r"(\^?)([0-9]{1,5})(?:-([0-9]{1,5}))?")


def cpus_of_vcpus(domain: DomainDescription, pcpus: int) -> frozenset[int]:
    """Return the CPUs on which the domain's vCPUs may run.

    Args:
        domain: The domain.
        pcpus: Number of physical CPUs.
    """
    if domain.vcpu_pins:
        return frozenset(cpu for pins in domain.vcpu_pins for cpu in _list_pinned_cpus(pins))
    vcpu = parse_description(domain).find("vcpu")
    return parse_cpu_set("" if vcpu is None else vcpu.get("cpuset", ""), pcpus)


def cpus_of_emulator(domain: DomainDescription, pcpus: int) -> frozenset[int]:
    """Return the CPUs on which the threads of a domain's emulator may run.

    Args:
        domain: The domain.
        pcpus: Number of physical CPUs.
    """
    return _list_pinned_cpus(domain.emulator_pins) if domain.emulator_pins else cpus_of_vcpus(domain, pcpus)


def _list_pinned_cpus(pins: Iterable[bool]) -> frozenset[int]:
    return frozenset(cpu for cpu, allowed in enumerate(pins) if allowed)


def parse_cpu_set(text: str, pcpus: int) -> frozenset[int]:
    """Return the CPUs of libvirt's `0-3,^2`; all CPUs for an empty text.

    Args:
        text: The set.
        pcpus: Number of physical CPUs, to which the set is limited.
    """
    found: set[int] = set()
    for without, first, last in _RANGE.findall(text):
        cpus = range(int(first), min(int(last or first) + 1, pcpus))
        found = found - set(cpus) if without else found | set(cpus)
    return frozenset(found or range(pcpus))
