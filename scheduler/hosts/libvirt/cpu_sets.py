"""Which CPUs a domain may run on, from its pins or its description."""

import re
from collections.abc import Iterable

from scheduler.hosts.libvirt.answers import Described, parse_description

_RANGE = re.compile(r"(\^?)([0-9]{1,5})(?:-([0-9]{1,5}))?")


def of_vcpus(domain: Described, pcpus: int) -> frozenset[int]:
    """Return the CPUs that the domain's vCPUs may run on."""
    if domain.vcpu_pins:
        return frozenset(cpu for pins in domain.vcpu_pins for cpu in _pinned(pins))
    vcpu = parse_description(domain).find("vcpu")
    return _parsed("" if vcpu is None else vcpu.get("cpuset", ""), pcpus)


def of_emulator(domain: Described, pcpus: int) -> frozenset[int]:
    """Return the CPUs that the threads of its emulator may run on."""
    return _pinned(domain.emulator_pins) if domain.emulator_pins else of_vcpus(domain, pcpus)


def _pinned(pins: Iterable[bool]) -> frozenset[int]:
    return frozenset(cpu for cpu, allowed in enumerate(pins) if allowed)


def _parsed(text: str, pcpus: int) -> frozenset[int]:
    """Read libvirt's `0-3,^2`; nothing means every CPU."""
    found: set[int] = set()
    for without, first, last in _RANGE.findall(text):
        cpus = range(int(first), min(int(last or first) + 1, pcpus))
        found = found - set(cpus) if without else found | set(cpus)
    return frozenset(found or range(pcpus))
