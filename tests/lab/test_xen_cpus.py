"""Placement on a real Xen of four CPUs with a stock Dom0: read in Dom0 by plain xl, restored after each death."""

import re
import threading
from pathlib import Path

import pytest

from scheduler.errors import ParameterRefused
from scheduler.hosts.remote.guard import TTL_S
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.placement import PLACE_SLOTS
from scheduler.model.spec import PAPER_SPLITS
from scheduler.model.split import IO, parse_split
from tests.contract.placement_contract import PlacementContract, place, prepare_placement
from tests.lab.guard_lab import ROUND_S, Dom0, knowing, set_link
from tests.lab.test_xl_contract import LabSubject, XenContract
from tests.lab.wide_lab import BASE, HOST, SweepProcess, kill_guard, placed_sweep, write_plan

pytestmark = [pytest.mark.lab, pytest.mark.timeout(3_600)]

NEAR = 0.05  # of a ratio: caps are whole per cents of a CPU
CAPS = {287, 288}  # sums of both caps: 0.96 of three CPUs, each cap rounded down
DEDICATED = ("1:3", "2:2", "3:1")
LOOKED = "/run/domtune-looked"
# The settings once the guard has restored them, read in Dom0 while no packet reaches it.
LOOK = f"""rm -f {LOOKED}; nohup sh -c '
until [ -e {BASE}/sweep/restored ]; do sleep 1; done
xl vcpu-list 0 >{LOOKED}.new; mv {LOOKED}.new {LOOKED}' >/dev/null 2>&1 &"""


@pytest.fixture(scope="module")
def wide(xen_lab):
    return xen_lab.wide("credit2", guests=2)


@pytest.fixture(scope="module")
def dom0(wide, tmp_path_factory):
    folder, config = tmp_path_factory.mktemp("cpus"), Path(wide["ssh_config"])
    with knowing(config, folder):
        yield Dom0(config, folder / "looking")


@pytest.fixture
def opened(dom0):
    host = open_host(HOST, lambda *_: None, "", "db1", "")
    yield host
    host.close()


@pytest.fixture
def sweep(dom0, wide):
    """A sweep that has placed both domains."""
    with placed_sweep(dom0, write_plan(wide["database_url"], "dedicated", DEDICATED)) as sweep:
        yield sweep


class MaskSubject(LabSubject):
    """The lab's Dom0; what a sweep may change there includes the CPUs of each vCPU."""

    def snapshot(self):
        return self.dom0.values(), self.dom0.masks()


class TestPlacement(XenContract):
    """The rules of placement, on a real toolstack."""

    scheduler = "credit2"

    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls, dom0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("tests.contract.host_contract.RESTORE_S", 600)
            subject = MaskSubject(HOST, dom0, cls.scheduler)
            subject.open = lambda command_log: open_host(HOST, command_log, "", "db1", "")
            yield subject


for _name in dir(XenContract):
    if _name.startswith("test_") and not hasattr(PlacementContract, _name):
        setattr(TestPlacement, _name, None)


def test_stock_dom0_of_four_vcpus_has_no_error_and_no_command_to_type(opened):
    facts = opened.facts()
    assert [domain.vcpus for domain in facts.domains] == [4, 4]
    assert facts.placement.choices == (0, 1, 2, 3)
    assert not any("vcpu-pin" in f"{each.text} {each.hint}" for each in facts.findings)
    assert not any("never" in each.text for each in facts.findings)


def test_killed_sweep_is_restored_by_its_guard(dom0, sweep):
    sweep.kill()
    dom0.wait_until_over(BASE, TTL_S + 2 * ROUND_S)


def test_killed_sweep_and_guard_are_restored_by_the_guard_that_follows(dom0, sweep):
    sweep.kill()
    kill_guard(dom0)
    dom0.wait_until_over(BASE, 2 * TTL_S + 4 * ROUND_S)


def test_guard_that_follows_a_killed_one_restores_when_the_connection_is_cut(dom0, sweep, wide):
    """And the sweep goes on when the connection is there again, from the original settings."""
    killed = kill_guard(dom0)
    dom0.wait_for(f"[ $(cat {BASE}/sweep/pid) != {killed} ]", ROUND_S, "systemd did not start another guard")
    assert sweep.process.poll() is None
    dom0.run(LOOK)
    set_link(Path(wide["ssh_config"]), up=False)
    try:
        threading.Event().wait(TTL_S + ROUND_S / 2)
    finally:
        set_link(Path(wide["ssh_config"]), up=True)
    dom0.wait_for(f"[ -e {LOOKED} ]", ROUND_S, "the guard did not restore the placement")
    masks = dom0.run(f"cat {LOOKED}").splitlines()[1:]
    assert [line.split()[-3:] for line in masks] == [["all", "/", "all"]] * 4
    answer = sweep.answer()
    assert answer["restored"], answer


def test_cpu_of_another_pool_is_not_open_and_no_pool_is_changed(dom0, opened):
    dom0.run("xl cpupool-cpu-remove Pool-0 3 && xl cpupool-create 'name=\"other\"' 'sched=\"credit2\"' 'cpus=[\"3\"]'")
    try:
        pools = dom0.run("xl cpupool-list -c")
        assert opened.facts().placement.choices == (0, 1, 2)
        originals = prepare_placement(opened)
        slot = PLACE_SLOTS[IO]
        with pytest.raises(ParameterRefused, match="CPU 3"):
            opened.write(slot, place(originals[slot], (2, 3)))
        opened.write(slot, place(originals[slot], (2,)))
        opened.write(slot, originals[slot])
        assert dom0.run("xl cpupool-list -c") == pools
    finally:
        dom0.run("xl cpupool-destroy other; xl cpupool-cpu-add Pool-0 3")


def test_busy_third_guest_on_the_shared_cpus_is_a_finding(xen_lab, opened):
    xen_lab.ssh("domtune-xen-guest-2", "(timeout 120 sh -c 'while :; do :; done' >/dev/null 2>&1 &)")
    assert any("'db2' may run on the same CPU and used" in each.text for each in opened.facts().findings)
    xen_lab.ssh("domtune-xen-guest-2", "pkill -x timeout")


def test_dedicated_sweep_sets_each_split_and_leaves_the_host_original(dom0, wide):
    before = dom0.settings()
    sweep = SweepProcess(write_plan(wide["database_url"], "dedicated", DEDICATED))
    seen = sweep.watch(dom0)
    answer = sweep.answer()
    assert (answer["outcome"], answer["restored"]) == ("completed", True), answer
    for dom0_cpus, guest_cpus in (("0", "1-3"), ("0-1", "2-3"), ("0-2", "3")):
        assert any(place_of(dom0_cpus, guest_cpus).items() <= each.items() for each in seen), seen
    assert dom0.settings() == before


@pytest.mark.parametrize("mode", ["caps", "weights"])
def test_nine_splits_of_three_cpus_are_set_and_the_host_restored(dom0, wide, mode):
    before = dom0.settings()
    sweep = SweepProcess(write_plan(wide["database_url"], mode, PAPER_SPLITS, "1-3"))
    seen = sweep.watch(dom0)
    answer = sweep.answer()
    assert (answer["outcome"], answer["restored"]) == ("completed", True), answer
    assert dom0.settings() == before
    placed = [each for each in seen if place_of("1-3", "1-3").items() <= each.items()]
    pairs = [(value_of(each["Domain-0"], mode), value_of(each["db1"], mode)) for each in placed]
    for split in map(parse_split, PAPER_SPLITS):
        near = [sum(pair) for pair in pairs if abs(pair[0] / pair[1] * split.guest / split.io - 1) < NEAR]
        assert CAPS.intersection(near) if mode == "caps" else near, (split.label, seen)


def value_of(setting, mode):
    """Return a domain's cap, or its weight; without a cap 1."""
    weight, cap = map(int, re.findall(r"\d+", setting))
    return weight if mode == "weights" else cap or 1


def place_of(dom0_cpus, guest_cpus):
    """Return the settings of both domains' vCPUs on these CPUs."""
    masks = {"Domain-0": dom0_cpus, "db1": guest_cpus}
    return {f"{name} vCPU {vcpu}": f"online on {mask} / all" for name, mask in masks.items() for vcpu in range(4)}


def test_guest_restarted_in_a_sweep_ends_it_and_gets_its_original_placement(dom0, sweep):
    """The last of this lab: the guest's database is not waited for."""
    dom0.run("virsh -q -c xen:///system destroy db1 && virsh -q -c xen:///system start db1", timeout_s=600)
    answer = sweep.answer()
    assert (answer["outcome"], answer["restored"]) == ("failed", True), answer
    # A domain that is being destroyed is listed as paused for a moment.
    assert re.search("db1 (was restarted|has ended|is paused)", answer["reason"]), answer
    dom0.wait_for("! xl vcpu-list db1 | grep -q ' - '", 5 * ROUND_S, "the guest does not use its vCPUs again")
