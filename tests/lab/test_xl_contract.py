"""`xl+ssh:` obeys the laws of hosts on a real Xen: Dom0 and a guest under QEMU's emulation.

Needs a running lab: DOMTUNE_LAB_SSH names an ssh configuration that knows `domtune-xen`. Credit and credit2 are tested
by starting the lab with each; which one ran is in the report (`-ra`).
"""

import os
from pathlib import Path

import pytest

from scheduler.hosts.xen.host import open_host
from tests.contract.host_contract import HostContract
from tests.lab.guard_lab import DOM0_ALIAS, Dom0, ssh_that_knows

pytestmark = [pytest.mark.lab, pytest.mark.timeout(900)]

URL = f"xl+ssh://{DOM0_ALIAS}"


class LabSubject:
    """The lab's Dom0 by the product's own ssh; looked at by another one."""

    url = URL

    def __init__(self, dom0):
        self._dom0 = dom0

    def open(self, ledger):
        return open_host(self.url, ledger, "", "", "")

    def snapshot(self):
        return self._dom0.values()


class TestXenLab(HostContract):
    @pytest.fixture
    def subject(self, tmp_path, monkeypatch):
        config = Path(os.environ["DOMTUNE_LAB_SSH"])
        for name, value in ssh_that_knows(config, tmp_path / "bin").items():
            monkeypatch.setenv(name, value)
        # Emulated: what takes milliseconds elsewhere takes seconds here.
        monkeypatch.setattr("tests.contract.host_contract.RESTORE_S", 300)
        return LabSubject(Dom0(config))
