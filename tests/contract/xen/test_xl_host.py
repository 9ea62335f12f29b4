"""`xl:`, `xl+ssh:` and `xen:` obey the laws of hosts; the toolstack's programs are doubles, everything else is real."""

import pytest

from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.spec import Mode
from tests.contract.kept_contract import KeptContract
from tests.sshd import trusted_sshd
from tests.volume import deep
from tests.xen_double.standing import stand_up


class DoubleSubject:
    """A doubled host by a URL."""

    def __init__(self, url, double):
        self.url = url
        self._double = double

    def open(self, command_log):
        return open_host(self.url, command_log, "", "", "")

    def snapshot(self):
        return self._double.parameters()


class DoubleContract(KeptContract):
    scheduler = "credit2"

    @pytest.fixture(scope="class")
    @classmethod
    def patch(cls):
        with pytest.MonkeyPatch.context() as patch:
            yield patch

    @pytest.fixture(scope="class")
    @classmethod
    def double(cls, tmp_path_factory, patch):
        return stand_up(tmp_path_factory.mktemp("contract"), patch, scheduler=cls.scheduler)


class TestHere(DoubleContract):
    """Under credit2."""

    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls, double):
        return DoubleSubject("xl:", double)


class TestUnderCredit(DoubleContract):
    """What is not here is held on a real Xen with credit, by tests/lab."""

    scheduler = "credit"

    test_every_split_reads_back_as_written = None
    test_baseline_can_be_set_and_means_no_split = None
    test_original_restored_leaves_nothing = None
    test_another_process_restores_from_the_context = None
    test_value_out_of_range_is_refused_and_the_host_untouched = None
    test_usage_never_runs_backwards = None
    if not deep():  # the scheduler's word alone differs from credit2's
        test_booting_changes_no_parameter = None
        test_original_can_be_restored_twice_and_before_any_write = None
        test_guest_that_can_be_sized_is_and_its_vcpus_are_restored = None
        test_commands_touches_nothing = None
        test_placement_is_written_read_back_and_restored = None
        test_wrong_placement_is_refused_and_the_host_untouched = None
        test_closing_twice_is_closing_once = None

    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls, double):
        return DoubleSubject("xl:", double)


class TestThroughLibvirt(DoubleContract):
    """Set by libvirt, under credit2."""

    if not deep():  # all but the command that writes is the adapter of `xl:`, which holds these
        test_booting_changes_no_parameter = None
        test_original_can_be_restored_twice_and_before_any_write = None
        test_host_can_be_restored_and_taken_again = None
        test_withdrawing_changes_no_parameter = None
        test_commands_touches_nothing = None
        test_guest_that_can_be_sized_is_and_its_vcpus_are_restored = None
        test_facts_are_stable_and_complete = None
        test_usage_never_runs_backwards = None
        test_placement_is_written_read_back_and_restored = None
        test_wrong_placement_is_refused_and_the_host_untouched = None
        test_closing_twice_is_closing_once = None

    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls, double):
        return DoubleSubject("xen:///system", double)


class TestFar(DoubleContract):
    """Under RTDS, which has no weights to share by, with an offline vCPU in the guest."""

    scheduler = "rtds"
    modes = (Mode.CAPS,)

    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls, double, patch):
        with trusted_sshd(double.folder / "sshd", patch) as sshd:
            yield DoubleSubject(sshd.url, double)
