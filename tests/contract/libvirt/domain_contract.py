"""What any two domains of a libvirtd of the tests' own have to obey, containers and guests alike."""

import os
import time

import pytest

from scheduler.errors import ParameterRefused
from scheduler.hosts.host_registry import open_host
from scheduler.hosts.protocols import Host
from scheduler.model.split import GUEST, IO, DomainId
from tests.contract.host_contract import DOMAINS, HostContract
from tests.contract.libvirt.private import groups_of, wait

NAMES = {IO: f"io{os.getpid()}", GUEST: f"db{os.getpid()}"}  # other libvirtds keep theirs in the same groups


def cpus_used(host: Host, seconds: float) -> dict[DomainId, float]:
    """Return how much of a CPU each domain uses, seen for so long."""
    wait(0.5)
    before, began_s = host.usage(), time.monotonic()
    wait(seconds)
    after, ended_s = host.usage(), time.monotonic()
    return {
        d: (after[d].user_s + after[d].system_s - before[d].user_s - before[d].system_s) / (ended_s - began_s)
        for d in DOMAINS
    }


class DomainSubject:
    """Two domains, or one QEMU domain and its emulator.

    Args:
        libvirtd: That runs them.
        driver: `lxc` or `qemu`.
        io_name: What plays the I/O domain; empty for the emulator.
    """

    def __init__(self, libvirtd, driver, io_name):
        self._libvirtd = libvirtd
        self._driver = driver
        self._io_name = io_name
        self.url = libvirtd.url(driver)

    def open(self, command_log):
        return open_host(self.url, command_log, io_domain=self._io_name, guest_domain=NAMES[GUEST])

    def snapshot(self):
        names = NAMES.values()
        return self._libvirtd.kept(self._driver, names), {name: groups_of(name, self._driver) for name in names}


class DomainContract(HostContract):
    """What differs from other hosts."""

    def test_every_change_is_announced_before_it_is_made(self, opened):
        """Here one change is never made: DomTune ends no domain of others."""
        for domain in DOMAINS:
            assert opened.host.commands(domain, opened.originals[domain])
            assert opened.host.commands(domain, None) == ()
            with pytest.raises(ParameterRefused, match="never ends a domain"):
                opened.host.write(domain, None)
