"""Placement on a real Xen of four CPUs with a stock Dom0: read beside the product, restored after each death."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scheduler import places
from scheduler.errors import ParameterRefused
from scheduler.hosts.remote.guard import TTL_S
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.placement import PLACE_SLOTS
from scheduler.model.split import IO
from tests.contract.placement_contract import PlacementContract, place, prepare_placement
from tests.guard_world import wait_for
from tests.lab.guard_lab import DOM0_ALIAS, ROUND_S, Dom0, knowing
from tests.lab.test_xl_contract import LabSubject, XenContract

pytestmark = [pytest.mark.lab, pytest.mark.timeout(3_600)]

HOST, BASE = f"xl+ssh://{DOM0_ALIAS}", "/run/domtune"
# A sweep as far as placement goes: Dom0 on CPU 0, the guest on the others. It then waits to be killed.
PLACED = """
import time
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.placement import PLACE_SLOTS
from scheduler.model.split import GUEST, IO
from tests.contract.placement_contract import place, prepare_placement
host = open_host({host!r}, lambda *_: None, "", "db1", "")
originals = prepare_placement(host)
for role, cpus in ((IO, (0,)), (GUEST, (1, 2, 3))):
    slot = PLACE_SLOTS[role]
    host.write(slot, place(originals[slot], cpus))
print("placed", flush=True)
time.sleep(3600)
"""
PLAN = """host = "{host}"
mode = "dedicated"
splits = ["1:3", "2:2", "3:1"]
protocol = "grid"
repeats = 1
measure_s = 20
settle_s = 5
load_settle_s = 5
[[load]]
kind = "osdb-ir"
users = 8
tuples = 2000
database = "{database}"
"""


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


def placed_child():
    """Start a process that places both domains; return it once both are placed."""
    child = subprocess.Popen([sys.executable, "-c", PLACED.format(host=HOST)], stdout=subprocess.PIPE, text=True)
    assert child.stdout
    assert child.stdout.readline() == "placed\n"
    return child


def is_dedicated(masks):
    dom0 = {cpus for (domid, _), (_, cpus) in masks.items() if domid == 0}
    guest = {cpus for (domid, _), (_, cpus) in masks.items() if domid == 1}
    return (dom0, guest) == ({"0 / all"}, {"1-3 / all"})


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


def test_killed_process_is_restored_by_its_guard_alone(dom0):
    before = dom0.masks()
    child = placed_child()
    assert is_dedicated(dom0.masks())
    child.kill()
    child.wait(60)
    dom0.wait_until_over(BASE, TTL_S + 2 * ROUND_S)
    assert dom0.masks() == before, dom0.log(BASE)
    dom0.run(f"rm -rf {BASE}/sweep")


def test_killed_process_and_guard_are_restored_by_the_guard_that_follows(dom0):
    before = dom0.masks()
    child = placed_child()
    child.kill()
    child.wait(60)
    dom0.run(f"kill -KILL $(cat {BASE}/sweep/pid)")  # systemd starts another one
    dom0.wait_until_over(BASE, 2 * TTL_S + 4 * ROUND_S)
    assert dom0.masks() == before, dom0.log(BASE)
    dom0.run(f"rm -rf {BASE}/sweep")


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
    """Every setting is read beside the product while it is measured."""
    before, values = dom0.masks(), dom0.values()
    plan = places.cache_dir() / "dedicated.toml"
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.write_text(PLAN.format(host=HOST, database=wide["database_url"]) + '[domains]\nguest = "db1"\n')
    core = subprocess.Popen(
        [sys.executable, "-m", "scheduler", "run", str(plan), "--json", "--quiet"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    seen: set[str] = set()

    def is_over() -> bool:
        with contextlib.suppress(subprocess.CalledProcessError):
            seen.update(cpus for (domid, _), (_, cpus) in dom0.masks().items() if domid == 0)
        return core.poll() is not None

    wait_for(is_over, 1_800, "the sweep has not ended")
    out, _ = core.communicate()
    answer = json.loads(out)
    assert (answer["outcome"], answer["restored"]) == ("completed", True), answer
    assert {"0 / all", "0-1 / all", "0-2 / all"} <= seen
    assert (dom0.masks(), dom0.values()) == (before, values)
