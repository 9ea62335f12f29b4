"""`xl+ssh:` and `xen+ssh:` obey the laws of hosts on a real, emulated Xen, each scheduler in turn."""

import os
from pathlib import Path

import pytest

from scheduler.hosts.xen.host import open_host
from tests.contract.host_contract import HostContract
from tests.lab.guard_lab import DOM0_ALIAS, Dom0, ssh_that_knows

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def looking(tmp_path_factory):
    """Return the one onlooker of a lab: a connection takes an emulated Dom0 seconds."""
    socket = tmp_path_factory.mktemp("looking") / "socket"
    return lambda config: Dom0(config, socket)


class LabSubject:
    """The lab's Dom0 by the product's own ssh; looked at by another one."""

    def __init__(self, url, dom0):
        self.url = url
        self._dom0 = dom0

    def open(self, ledger):
        return open_host(self.url, ledger, "", "", "")

    def snapshot(self):
        return self._dom0.values()


class XenContract(HostContract):
    scheduler = ""
    url = f"xl+ssh://{DOM0_ALIAS}"
    splits = ("1:10", "1:2", "1:1", "5:2", "10:1")

    @pytest.fixture
    def subject(self, request, tmp_path, looking, monkeypatch):
        if named := os.environ.get("DOMTUNE_LAB_SSH"):
            config = Path(named)
        else:
            config = Path(request.getfixturevalue("xen_lab").under(self.scheduler)["ssh_config"])
        dom0 = looking(config)
        running = dom0.scheduler()
        if named and running != self.scheduler:
            pytest.skip(f"the lab that DOMTUNE_LAB_SSH names runs {running}, not {self.scheduler}")
        assert running == self.scheduler
        for name, value in ssh_that_knows(config, tmp_path / "bin").items():
            monkeypatch.setenv(name, value)
        # Emulated: what takes milliseconds elsewhere takes seconds here.
        monkeypatch.setattr("tests.contract.host_contract.RESTORE_S", 600)
        return LabSubject(self.url, dom0)


class TestUnderCredit2(XenContract):
    scheduler = "credit2"


class TestThroughLibvirt(XenContract):
    scheduler = "credit2"
    url = f"xen+ssh://{DOM0_ALIAS}/system"


class TestUnderCredit(XenContract):
    scheduler = "credit"
