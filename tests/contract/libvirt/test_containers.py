"""Two LXC domains under a libvirtd of the tests' own obey the laws of hosts."""

import pytest

from scheduler.model.split import IO
from tests.contract.libvirt.domain_contract import NAMES, DomainContract, DomainSubject


class TestContainers(DomainContract):
    @pytest.fixture
    def subject(self, containers):
        return DomainSubject(containers, "lxc", NAMES[IO])
