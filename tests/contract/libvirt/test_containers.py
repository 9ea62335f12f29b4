"""Two LXC domains under a libvirtd of the tests' own obey the laws of hosts."""

import pytest

from scheduler.model.split import IO
from tests.contract.kept_contract import KeptContract
from tests.contract.libvirt.domain_contract import NAMES, DomainContract, DomainSubject


class TestContainers(KeptContract, DomainContract):
    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls, containers):
        return DomainSubject(containers, "lxc", NAMES[IO])
