"""`xl:`, `xl+ssh:` and `xen:` obey the laws of hosts; the toolstack's programs are doubles, everything else is real."""

import pytest

from scheduler.hosts.xen.host import open_host
from scheduler.model.spec import Mode
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


class TestUnderCredit(HostContract):
    """What is not here is held on a real Xen with credit, by tests/lab."""

    test_that_every_split_reads_back_as_written = None
    test_that_the_baseline_can_be_set_and_means_no_split = None
    test_that_the_original_put_back_leaves_nothing = None
    test_that_another_process_restores_from_the_context = None
    test_that_a_value_out_of_range_is_refused_and_the_host_untouched = None
    test_that_usage_never_runs_backwards = None

    @pytest.fixture
    def subject(self, double):
        with double.changing() as state:
            state["scheduler"] = "credit"
        return DoubleSubject("xl:", double)


class TestThroughLibvirt(HostContract):
    """Set by libvirt, under credit2."""

    @pytest.fixture
    def subject(self, double):
        return DoubleSubject("xen:///system", double)


class TestFar(HostContract):
    """Under RTDS, which knows no weights, with an offline vCPU in the guest."""

    modes = (Mode.PARTITION,)

    @pytest.fixture
    def subject(self, double, tmp_path, monkeypatch):
        with double.changing() as state:
            state["scheduler"] = "rtds"
        with trusted_sshd(tmp_path / "sshd", monkeypatch) as sshd:
            yield DoubleSubject(sshd.url, double)
