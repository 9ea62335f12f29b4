"""`xl:` places the domains of a sweep, and restores every vCPU; the toolstack's programs are doubles."""

import contextlib
import os
import subprocess

import msgspec
import pytest

from scheduler.errors import HostError, ParameterRefused, WriteNotVerified
from scheduler.hosts.remote.guard_helper import setup_files
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.split import GUEST, IO
from scheduler.run.lease import HostLease, LeaseScope
from tests.contract.placement_contract import PlacementContract, place, prepare_placement, read_placement
from tests.contract.xen.test_xl_host import DoubleContract, DoubleSubject
from tests.xen_double.standing import stand_up
from tests.xen_double.state import GUEST_UUID, NO_UUID, domain

IO_PLACE, GUEST_PLACE = PLACE_SLOTS[IO], PLACE_SLOTS[GUEST]
LOW, HIGH = (0, 1), (4, 5, 6, 7)


def wide_domains():
    """Dom0 with four vCPUs, two of them pinned; a guest with three, one of them offline."""
    dom0 = {**domain(0, "Domain-0", NO_UUID, offline=3), "online": 4}
    dom0["pins"] = {"hard": {0: "0", 2: "0-3,5"}, "soft": {1: "4-7"}}
    guest = {**domain(1, "db 1", GUEST_UUID, offline=2), "online": 2}
    return [dom0, guest]


@pytest.fixture
def double(tmp_path, monkeypatch):
    return stand_up(tmp_path, monkeypatch, cpus=8, threads=2, nodes=2, domains=wide_domains())


@pytest.fixture
def host(double):
    host = open_host("xl:", lambda *_: None, "", "", "")
    yield host
    host.close()


def shown(double, number):
    """Return what `xl vcpu-list` prints as affinity, read without the adapter."""
    done = subprocess.run([double.sbin / "xl", "vcpu-list", str(number)], check=True, capture_output=True, text=True)
    return [line.rsplit("  ", 1)[1] for line in done.stdout.splitlines()[1:]]


class TestManyCpus(DoubleContract):
    """The rules of placement alone, on eight CPUs."""

    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls, tmp_path_factory, patch):
        folder = tmp_path_factory.mktemp("contract")
        return DoubleSubject("xl:", stand_up(folder, patch, cpus=8, threads=2, nodes=2, domains=wide_domains()))


for _name in dir(DoubleContract):
    if _name.startswith("test_") and not hasattr(PlacementContract, _name):
        setattr(TestManyCpus, _name, None)


def test_facts_have_the_cpus_their_cores_and_nodes(host):
    facts = host.facts()
    assert [(cpu.number, cpu.core, cpu.socket, cpu.node) for cpu in facts.topology] == [
        (0, 0, 0, 0), (1, 0, 0, 0), (2, 1, 0, 0), (3, 1, 0, 0), (4, 2, 1, 1), (5, 2, 1, 1), (6, 3, 1, 1), (7, 3, 1, 1),
    ]  # fmt: skip
    assert facts.placement.possible
    assert facts.placement.choices == tuple(range(8))


def test_offline_vcpus_and_soft_affinity_are_read_and_restored(double, host):
    before = shown(double, 0), shown(double, 1)
    originals = prepare_placement(host)
    assert originals[IO_PLACE] == PlacementParams(((0,), (), (0, 1, 2, 3, 5), ()), ((), (4, 5, 6, 7), (), ()))
    assert originals[GUEST_PLACE] == PlacementParams(((), (), ()))
    host.write(IO_PLACE, place(originals[IO_PLACE], LOW))
    host.write(GUEST_PLACE, place(originals[GUEST_PLACE], HIGH))
    assert shown(double, 0) == ["0-1 / all", "0-1 / 4-7", "0-1 / all", "0-1 / all"]
    assert shown(double, 1) == ["4-7 / all"] * 3
    assert all("all" not in call[:3] for call in double.load()["pin_calls"])
    for slot, original in originals.items():
        host.write(slot, original)
    assert (shown(double, 0), shown(double, 1)) == before


def test_guard_restores_each_vcpu_of_a_dead_program_and_reads_it_back(double, host, tmp_path):
    before = shown(double, 0), shown(double, 1)
    originals = prepare_placement(host)
    script = (tmp_path / "run/sweep/restore.sh").read_text()
    assert f"put dom0 {double.sbin}/xl vcpu-pin @ 2 0-3,5 all\n" in script
    assert f"placed {GUEST_UUID} {double.sbin}/xl all all all\n" in script
    everywhere = place(originals[GUEST_PLACE], tuple(range(8)))
    host.write(IO_PLACE, place(originals[IO_PLACE], LOW))
    host.write(GUEST_PLACE, everywhere)
    assert shown(double, 1) == ["all / all"] * 3
    assert host.read(GUEST_PLACE) == everywhere  # as it was written
    with double.changing() as state:
        state["lost_pins"] = True  # `vcpu-pin` ends with 0, and does nothing
    with pytest.raises(HostError, match="vCPU 0 of dom0 is not on CPU 0"):
        host.guard.rearm_guard()
    with double.changing() as state:
        state["lost_pins"] = False
    host.guard.rearm_guard()
    assert (shown(double, 0), shown(double, 1)) == before
    assert host.read(GUEST_PLACE) == originals[GUEST_PLACE]


def test_pin_without_effect_and_pin_that_is_taken_away_are_noticed(double, host):
    originals = prepare_placement(host)
    wanted = place(originals[GUEST_PLACE], LOW)
    host.write(GUEST_PLACE, wanted)
    double.lose_pins(1)
    assert host.read(GUEST_PLACE) != wanted
    with double.changing() as state:
        state["lost_pins"] = True
    with pytest.raises(WriteNotVerified, match=r"vCPU 0 may run on any CPU, not on CPU 0-1"):
        host.write(GUEST_PLACE, wanted)


def test_busy_vcpu_is_pinned_at_the_second_try_and_not_at_a_third(double, host):
    wanted = place(prepare_placement(host)[GUEST_PLACE], LOW)
    for busy, tried in ((1, 4), (2, 2)):
        with double.changing() as state:
            state["busy_pins"], state["pin_calls"] = busy, []
        with contextlib.nullcontext() if busy == 1 else pytest.raises(HostError, match="Device or resource busy"):
            host.write(GUEST_PLACE, wanted)
        assert len(double.load()["pin_calls"]) == tried


def test_global_mask_of_xl_conf_is_passed_by(double, monkeypatch):
    monkeypatch.setattr(
        "scheduler.hosts.xen.xen_host.ignores_global_masks", lambda view: True
    )  # /etc/xen/xl.conf of this computer is nobody's to write
    with double.changing() as state:
        state["mask"] = [4, 5, 6, 7]
    host = open_host("xl:", lambda *_: None, "", "", "")
    originals = prepare_placement(host)
    host.write(GUEST_PLACE, place(originals[GUEST_PLACE], (3, 4)))
    assert shown(double, 1) == ["3-4 / all"] * 3
    host.close()
    assert shown(double, 1) == ["all / all"] * 3


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"pools": {"db": [6, 7]}}, "changes no CPU pool"),
        ({"boot": " dom0_vcpus_pin", "version": [4, 12]}, "before Xen 4.13 Domain-0 cannot be moved"),
    ],
)
def test_host_that_cannot_be_placed_says_why_and_refuses(double, host, changes, why):
    with double.changing() as state:
        state.update(changes)
        state["domains"][1]["pool"] = "db" if "pools" in changes else "Pool-0"
    support = host.facts().placement
    assert not support.possible
    assert why in support.why
    assert support.hint
    with pytest.raises(ParameterRefused, match=why):
        host.write(IO_PLACE, place(read_placement(host, IO_PLACE), LOW))
    assert "pin_calls" not in double.load()


def test_pool_of_both_domains_limits_the_choice(double, host):
    with double.changing() as state:
        state["pools"] = {"other": [6, 7]}
    assert host.facts().placement.choices == tuple(range(6))
    originals = prepare_placement(host)
    with pytest.raises(ParameterRefused, match="CPU 6-7: not online, or not in its CPU pool"):
        host.write(IO_PLACE, place(originals[IO_PLACE], (5, 6, 7)))


def test_host_of_64_cpus_is_described_and_its_pins_have_ranges(double, host):
    with double.changing() as state:
        state.update(cpus=64, nodes=4)
    assert host.facts().placement.choices == tuple(range(64))
    assert {(cpu.number, cpu.node) for cpu in host.facts().topology if cpu.core == 31} == {(62, 3), (63, 3)}
    wanted = place(read_placement(host, GUEST_PLACE), (*range(4), *range(32, 48)))
    assert [line.split()[-4:] for line in host.commands(GUEST_PLACE, wanted)] == [
        ["vcpu-pin", "1", str(vcpu), "0-3,32-47"] for vcpu in range(3)
    ]


def test_restarted_guest_is_placed_as_found(double, host):
    originals = prepare_placement(host)
    host.write(GUEST_PLACE, place(originals[GUEST_PLACE], LOW))
    number = double.restart_guest()
    assert shown(double, number) == ["0-1 / all"] * 3
    host.write(GUEST_PLACE, originals[GUEST_PLACE])
    assert shown(double, number) == ["all / all"] * 3


def test_lease_of_placements_has_them_guarded_before_the_first_write_and_restored(double, host, tmp_path):
    before = double.parameters()
    scope = LeaseScope((IO, GUEST, IO_PLACE, GUEST_PLACE))
    with HostLease(host, tmp_path / "journal", "xen-1", "xl:", lambda _: host, scope) as lease:
        host.boot()
        assert "vcpu-pin @ 0" in (tmp_path / "run/sweep/given").read_text()
        masks = {IO_PLACE: LOW, GUEST_PLACE: HIGH}
        lease.apply({slot: place(read_placement(host, slot), cpus) for slot, cpus in masks.items()})
        lease.confirm()
        assert shown(double, 1) == ["4-7 / all"] * 3
    assert double.parameters() == before
    assert not (tmp_path / "run/sweep").exists()


@pytest.mark.parametrize(
    ("words", "may"),
    [
        ("/usr/sbin/xl vcpu-pin 0 2 0-3,5", True),
        ("/usr/sbin/xl vcpu-pin -i 0 2 0-3,5 all", True),
        ("/usr/sbin/xl vcpu-pin 3 0 all", True),
        ("/usr/sbin/xl vcpu-pin 4 0 all", False),  # a domain that the guard does not restore
        ("/usr/sbin/xl vcpu-pin 0 all 0", False),
        ("/usr/sbin/xl vcpu-pin -f 0 0 0", False),
        ("/usr/sbin/xl vcpu-pin 0 0 nodes:0", False),
        ("/usr/sbin/xl vcpu-pin 0 0", False),
        ("/usr/sbin/xl vcpu-pin 0 0 1 2 3", False),
        ("/bin/sh vcpu-pin 0 0 0", False),
    ],
)
def test_account_without_root_may_place_the_domains_that_the_guard_restores(tmp_path, words, may):
    helper = setup_files("domtune")["domtune-guard"]
    rules = helper[helper.index("PROGRAMS=") : helper.index("permitted() {", helper.index("PROGRAMS="))]
    (tmp_path / "given").write_text(
        f"put dom0 /usr/sbin/xl vcpu-pin @ 0 all\nput {GUEST_UUID} /usr/sbin/xl vcpu-pin @ 0 all\n"
    )
    (tmp_path / "xenstore-read").write_text(f'#!/bin/sh\n[ "$1" = /local/domain/3/vm ] && echo /vm/{GUEST_UUID}\n')
    (tmp_path / "xenstore-read").chmod(0o755)
    path = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", f"{rules}\na_change {words}"], check=False, cwd=tmp_path, env=path)
    assert (done.returncode == 0) == may


@pytest.mark.parametrize(
    ("line", "may"),
    [
        (f"placed {GUEST_UUID} /usr/sbin/xl all 0-3,5", True),
        ("placed dom0 /usr/sbin/xl 0", True),
        ("placed dom0 /bin/sh 0", False),
        ("placed dom0 /usr/sbin/xl create", False),
        ("put dom0 /usr/sbin/xl vcpu-pin -i @ 3 0-3,5 all", True),
    ],
)
def test_account_without_root_may_leave_these_restore_lines(line, may):
    helper = setup_files("domtune")["domtune-guard"]
    rules = helper[helper.index("PROGRAMS=") : helper.index("permitted() {", helper.index("PROGRAMS="))]
    done = subprocess.run(["sh", "-c", f"{rules}\na_put '{line}'"], check=False)
    assert (done.returncode == 0) == may


def test_placement_of_another_number_of_vcpus_is_refused(host):
    originals = prepare_placement(host)
    wrong = msgspec.structs.replace(originals[GUEST_PLACE], vcpus=((0,),))
    with pytest.raises(ParameterRefused, match="1 entries for a domain of 3 vCPUs"):
        host.write(GUEST_PLACE, wrong)
