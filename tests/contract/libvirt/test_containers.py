"""Two LXC domains under a libvirtd of the tests' own obey the laws of hosts."""

import os

import pytest

from scheduler.errors import ParameterRefused
from scheduler.hosts.registry import open_host
from scheduler.model.split import GUEST, IO
from tests.contract.host_contract import DOMAINS, HostContract
from tests.contract.libvirt.private import groups_of

NAMES = {IO: f"io{os.getpid()}", GUEST: f"db{os.getpid()}"}  # other libvirtds keep theirs in the same groups


@pytest.fixture(scope="module")
def containers(libvirtd):
    for name in NAMES.values():
        libvirtd.container(name)
    return libvirtd


class ContainerSubject:
    """Two containers."""

    def __init__(self, libvirtd):
        self._libvirtd = libvirtd
        self.url = libvirtd.url("lxc")

    def open(self, ledger):
        return open_host(self.url, ledger, io_domain=NAMES[IO], guest_domain=NAMES[GUEST])

    def snapshot(self):
        return self._libvirtd.kept("lxc", NAMES.values()), {name: groups_of(name, "lxc") for name in NAMES.values()}


class TestContainers(HostContract):
    @pytest.fixture
    def subject(self, containers):
        return ContainerSubject(containers)

    def test_that_every_change_is_announced_before_it_is_made(self, opened):
        """Here one change is never made: DomTune ends no domain of others."""
        for domain in DOMAINS:
            assert opened.host.commands(domain, opened.originals[domain])
            assert opened.host.commands(domain, None) == ()
            with pytest.raises(ParameterRefused, match="never ends a domain"):
                opened.host.write(domain, None)
