"""Containers are placed by the CPU set of their control group, and only where that can be done."""

from pathlib import Path

import pytest

from scheduler.errors import HostNotUsable, ParameterRefused
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.hosts.libvirt.container_placement import find_cpu_set
from scheduler.hosts.libvirt.libvirt_uri import parse_uri
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.split import GUEST, IO
from tests.contract.host_contract import restore_elsewhere
from tests.contract.libvirt.domain_contract import NAMES

IO_PLACE, GUEST_PLACE = PLACE_SLOTS[IO], PLACE_SLOTS[GUEST]
MACHINE = Path("/sys/fs/cgroup/cpuset/machine")


def on(*cpus):
    return PlacementParams((cpus,))


def cpu_sets():
    """Return the CPUs in effect of both containers, as a stranger reads them."""
    [*folders] = ((name, next(MACHINE.glob(f"lxc-*-{name}.libvirt-lxc"))) for name in NAMES.values())
    return {name: (folder / "cpuset.effective_cpus").read_text().strip() for name, folder in folders}


@pytest.fixture
def opened(containers):
    before, kept = cpu_sets(), containers.kept("lxc", NAMES.values())
    host = open_host(containers.url("lxc"), ignore_command, io_domain=NAMES[IO], guest_domain=NAMES[GUEST])
    if len(host.facts().placement.choices) < 2:
        pytest.skip("one CPU: nothing to place")
    yield host
    host.close()
    assert (cpu_sets(), containers.kept("lxc", NAMES.values())) == (before, kept)


def test_container_is_placed_read_back_and_restored_by_another_process(opened, containers):
    originals = {slot: opened.read(slot) for slot in (IO_PLACE, GUEST_PLACE)}
    assert originals == {IO_PLACE: on(0), GUEST_PLACE: on(0)}  # of the cpuset in their descriptions
    for io, guest in (((0, 1), (0, 1)), ((0,), (1,))):
        for slot, cpus in ((IO_PLACE, io), (GUEST_PLACE, guest)):
            [announced] = opened.commands(slot, on(*cpus))
            assert announced.startswith(f"echo {','.join(map(str, cpus)) if len(cpus) == 1 else '0-1'} > ")
            opened.write(slot, on(*cpus))
            assert opened.read(slot) == on(*cpus)
    assert cpu_sets() == {NAMES[IO]: "0", NAMES[GUEST]: "1"}
    restore_elsewhere(containers.url("lxc"), opened.context(), originals)


@pytest.mark.parametrize("wrong", [on(4095), PlacementParams(((0,), (0,))), PlacementParams(((0,),), emulator=(0,))])
def test_wrong_placement_of_a_container_is_refused_and_nothing_is_written(opened, wrong):
    with pytest.raises(ParameterRefused):
        opened.write(GUEST_PLACE, wrong)


def test_container_elsewhere_cannot_be_placed_and_the_reason_is_reported(opened, containers):
    opened.placement._here = False
    support = opened.placement.support([])
    assert (support.possible, "no call" in support.why, "as-found" in support.hint) == (False, True, True)
    with pytest.raises(ParameterRefused, match="no call that changes"):
        opened.write(GUEST_PLACE, on(0))
    assert parse_uri(containers.url("lxc")).here


def make_process(processes, pid, membership, children=""):
    folder = processes / str(pid) / f"task/{pid}"
    folder.mkdir(parents=True)
    (processes / str(pid) / "cgroup").write_text(f"0::{membership}\n")
    (folder / "children").write_text(children)


@pytest.mark.parametrize(("child", "found"), [("/machine.slice/db/user", True), ("/machine.slice/other", False)])
def test_cpu_set_of_version_2_is_used_only_when_all_of_the_container_is_inside(tmp_path, child, found):
    processes, base = tmp_path / "proc", tmp_path / "cgroup"
    (base / "machine.slice/db").mkdir(parents=True)
    (base / "machine.slice/db/cpuset.cpus").write_text("")
    (processes / "self").mkdir(parents=True)
    (processes / "self/mountinfo").write_text(f"31 25 0:28 / {base} rw - cgroup2 cgroup2 rw\n")
    make_process(processes, 7, "/machine.slice/db", children="8")
    make_process(processes, 8, child)
    if found:
        assert find_cpu_set(7, processes) == base / "machine.slice/db"
    else:
        with pytest.raises(HostNotUsable, match="no own CPU set"):
            find_cpu_set(7, processes)
