"""`xl:`, `xl+ssh:` and `xen:` obey the laws of hosts; the toolstack's programs are doubles, everything else is real."""

import pytest

from scheduler.hosts.xen.host import open_host
from tests.contract.host_contract import HostContract
from tests.sshd import trusted_sshd


class DoubleSubject:
    """A doubled host by a URL."""

    def __init__(self, url, double):
        self.url = url
        self._double = double

    def open(self, ledger):
        return open_host(self.url, ledger, "", "", "")

    def snapshot(self):
        return self._double.parameters()


class TestHere(HostContract):
    """Under credit2."""

    @pytest.fixture
    def subject(self, double):
        return DoubleSubject("xl:", double)


class TestThroughLibvirt(HostContract):
    """Set by libvirt, under credit2."""

    @pytest.fixture
    def subject(self, double):
        return DoubleSubject("xen:///system", double)


class TestFar(HostContract):
    """Under RTDS, with an offline vCPU in the guest."""

    @pytest.fixture
    def subject(self, double, tmp_path, monkeypatch):
        with double.changing() as state:
            state["scheduler"] = "rtds"
        with trusted_sshd(tmp_path / "sshd", monkeypatch) as sshd:
            yield DoubleSubject(sshd.url, double)
