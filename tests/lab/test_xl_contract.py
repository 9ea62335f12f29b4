"""`xl+ssh:` and `xen+ssh:` obey the laws of hosts on a real, emulated Xen.

Under credit2 those that hang on what a real toolstack does, under the other schedulers and through libvirt those that
hang on either. The others are the adapter's own, and hold it on the doubles of each scheduler (tests/contract/xen),
where a law takes seconds.
"""

import os
from pathlib import Path

import pytest

from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.spec import Mode
from tests.contract.host_contract import PERIOD_US
from tests.contract.kept_contract import KeptContract
from tests.lab.guard_lab import DOM0_ALIAS, Dom0, knowing

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1800)]


class LabSubject:
    """The lab's Dom0 by the product's own ssh; looked at by another one."""

    def __init__(self, url, dom0, scheduler):
        self.url = url
        self.dom0 = dom0
        self._scheduler = scheduler

    def open(self, command_log):
        return open_host(self.url, command_log, "", "", "")

    def snapshot(self):
        values = self.dom0.budgets() if self._scheduler == "rtds" else self.dom0.values()
        assert len(values) == 2, "Dom0 and one guest of one vCPU each"
        return values


@pytest.fixture(scope="class")
def subject(request, tmp_path_factory):
    """The lab's Dom0 under the scheduler that the class names."""
    scheduler = request.cls.scheduler
    if named := os.environ.get("DOMTUNE_LAB_SSH"):
        config = Path(named)
    else:
        lab = request.getfixturevalue("xen_lab")
        if why := lab.missing_reason(scheduler):
            pytest.skip(why)
        config = Path(lab.under(scheduler)["ssh_config"])
    folder = tmp_path_factory.mktemp("contract")
    dom0 = Dom0(config, folder / "looking")
    running = dom0.scheduler()
    if named and running != scheduler:
        pytest.skip(f"the lab that DOMTUNE_LAB_SSH names runs {running}, not {scheduler}")
    assert running == scheduler
    with knowing(config, folder), pytest.MonkeyPatch.context() as patch:
        # Emulated: what takes milliseconds elsewhere takes seconds here.
        patch.setattr("tests.contract.host_contract.RESTORE_S", 600)
        patch.setattr("tests.contract.host_contract.PERIOD_US", request.cls.period_us)
        yield LabSubject(request.cls.url, dom0, scheduler)


class XenContract(KeptContract):
    """To connect, to look and to arm takes an emulated Dom0 half a minute."""

    scheduler = ""
    url = f"xl+ssh://{DOM0_ALIAS}"
    # In the order that the laws use them: what leaves an emulated Dom0 least comes last, and seldom. With an eleventh
    # of the CPU, an answer that takes milliseconds elsewhere was over 30 s on its way now and then.
    splits = ("10:1", "1:2", "1:1", "5:2", "1:5")
    period_us = PERIOD_US
    test_booting_changes_no_parameter = None
    test_original_can_be_restored_twice_and_before_any_write = None
    test_withdrawing_changes_no_parameter = None
    test_host_that_nothing_happened_to_has_no_trouble = None
    test_writing_twice_is_writing_once = None
    test_ledger_holds_what_commands_announced = None
    test_commands_touches_nothing = None
    test_every_change_is_announced_before_it_is_made = None
    test_closing_twice_is_closing_once = None


class SchedulersContract(XenContract):
    """The laws that hang on what sets and reads a parameter; a law that is added to `HostContract` is one of them."""

    test_modes_may_follow_each_other_in_any_order = None
    test_host_can_be_restored_and_taken_again = None
    test_host_that_is_taken_again_is_as_it_was_found_and_can_be_swept_on = None


class TestUnderCredit2(XenContract):
    scheduler = "credit2"


class TestUnderCredit(SchedulersContract):
    scheduler = "credit"


class TestThroughLibvirt(SchedulersContract):
    scheduler = "credit"
    url = f"xen+ssh://{DOM0_ALIAS}/system"


class TestUnderRtds(SchedulersContract):
    scheduler = "rtds"
    modes = (Mode.CAPS,)
    # At 20 ms and 1:10 the turns themselves eat an emulated Dom0's budget of 1.8 ms.
    period_us = 100_000
