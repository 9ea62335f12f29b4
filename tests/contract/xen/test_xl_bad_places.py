"""CPU sets that do not fit a Xen host, and hosts that change in mid-sweep: a clear message, and the host restored."""

import pytest

from scheduler.errors import DomainGone, HostError, PlacementChanged, RestoreFailed, SpecError
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.placement import PLACE_SLOTS
from scheduler.model.plan_file import parse_plan
from scheduler.model.setting import parse_split_setting
from scheduler.model.split import GUEST, IO
from scheduler.run.factor import create_factor, lease_scope
from scheduler.run.lease import HostLease
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.studies.study_meeting import meet_host
from tests.xen_double.standing import stand_up
from tests.xen_double.state import GUEST_UUID, NO_UUID, domain

IO_PLACE, GUEST_PLACE = PLACE_SLOTS[IO], PLACE_SLOTS[GUEST]
PLAN = 'host = "xl:"\nmode = "{mode}"\n[cpus]\nset = "{cpus}"\n'


def wide_domains():
    """Dom0 with four vCPUs on all CPUs; a guest with three on node 1, with a soft affinity."""
    dom0 = {**domain(0, "Domain-0", NO_UUID, offline=3), "online": 4}
    guest = {**domain(1, "db1", GUEST_UUID, offline=2), "online": 3}
    guest["pins"] = {"hard": dict.fromkeys(range(3), "4-5"), "soft": {0: "4"}}
    return [dom0, guest]


@pytest.fixture
def double(tmp_path, monkeypatch):
    return stand_up(tmp_path, monkeypatch, cpus=8, nodes=2, domains=wide_domains(), pools={"other": [6, 7]})


@pytest.fixture
def host(double):
    host = open_host("xl:", lambda *_: None, "", "", "")
    yield host
    host.close()


@pytest.fixture
def facts(host):
    return host.facts()


def meet(host, facts, cpus, mode="dedicated"):
    return meet_host(parse_plan(PLAN.format(mode=mode, cpus=cpus)), host, facts)


def test_cpu_set_that_does_not_fit_is_refused_by_name_and_nothing_is_written(double, host, facts):
    before = double.parameters()
    for cpus, says in (
        ("5-7", "CPU 6-7 is not available to Domain-0 and db1: offline or in another CPU pool"),
        ("7-9", "the host has no CPU 8-9"),
        ("3", "CPU 3 is fewer than one CPU each for Domain-0 and db1"),
    ):
        with pytest.raises(SpecError, match=says) as refused:
            meet(host, facts, cpus)
        assert refused.value.hint
    assert double.parameters() == before


def test_cpu_set_on_another_node_or_below_the_vcpus_is_named(host, facts):
    reported = " ".join(meet(host, facts, "0-1").warnings)
    assert "db1 ran on NUMA node 1, and CPU 0-1 is on node 0: its memory stays where it is" in reported
    assert "db1 has 3 vCPUs and shares 2 CPUs: at most 2 of its vCPUs run at the same time" in reported
    assert "CPU 3-4 is on NUMA nodes 0 and 1" in " ".join(meet(host, facts, "3-4").warnings)
    assert meet(host, facts, "2-5", "caps").warnings == (
        "CPU 2-5 is on NUMA nodes 0 and 1: memory on another node is slower.",
    )


class Sweep:
    """A lease over both domains and their placement, with the factor of a dedicated sweep on CPU 2-5."""

    def __init__(self, host, facts, folder):
        spec, facts, *_ = meet(host, facts, "2-5")
        self.lease = HostLease(host, folder, "xen-1", "xl:", lambda _: host, lease_scope(spec, confined=True))
        self.factor = create_factor(spec, self.lease, share_model_for_host(facts), facts.shared_cpus)
        self._host = host

    def begin(self):
        self._host.boot()
        self.factor.set(parse_split_setting("1:3"))


@pytest.fixture
def sweep(host, facts, tmp_path):
    return Sweep(host, facts, tmp_path / "journal")


def test_soft_affinity_that_somebody_set_stays_through_a_sweep(double, host, sweep):
    before = double.parameters()
    with sweep.lease:
        sweep.begin()
        assert host.read(GUEST_PLACE).vcpus == ((3, 4, 5),) * 3
        assert host.read(GUEST_PLACE).soft[0] == (4,)
        sweep.factor.confirm()
    assert double.parameters() == before


def test_vcpu_that_refuses_its_pin_is_named_and_the_host_restored(double, sweep):
    before = double.parameters()
    with double.changing() as state:
        state["busy_pins"] = 2
    with sweep.lease, pytest.raises(HostError, match="Device or resource busy"):
        sweep.begin()
    assert double.parameters() == before


def test_pin_that_somebody_changed_meanwhile_is_named_and_the_original_restored(double, sweep):
    before = double.parameters()
    with sweep.lease:
        sweep.begin()
        double.lose_pins(1)
        with pytest.raises(PlacementChanged, match=r"this sweep set vCPUs on CPU 3-5.* but it reads vCPUs on"):
            sweep.factor.confirm()
        sweep.factor.set(parse_split_setting("2:2"))  # the next trial places it again
        sweep.factor.confirm()
    assert double.parameters() == before


def test_vcpu_hotplug_in_mid_sweep_is_named_and_the_host_restored(double, sweep):
    with sweep.lease:
        sweep.begin()
        with double.changing() as state:
            state["domains"][1].update(vcpus=4, online=4)
        with pytest.raises(PlacementChanged, match="has 4 vCPUs now and had 3"):
            sweep.factor.confirm()
        with double.changing() as state:
            state["domains"][1].update(vcpus=3, online=3)


def test_cpu_taken_out_of_the_pool_in_mid_sweep_is_named_and_the_rest_restored(double, sweep):
    before = double.parameters()
    with sweep.lease:
        sweep.begin()
        with double.changing() as state:
            state["pools"] = {"other": [5, 6, 7]}
        with pytest.raises(HostError, match="vcpu-pin 1 0 5' failed") as refused:
            sweep.factor.set(parse_split_setting("3:1"))
        assert "take one of the CPUs offline, or move it to another CPU pool" in refused.value.hint
        with double.changing() as state:
            state["pools"] = {"other": [6, 7]}
    assert double.parameters() == before


def test_guest_restarted_in_mid_sweep_gets_the_placement_that_it_had(double, sweep):
    before = double.parameters()
    with sweep.lease:
        sweep.begin()
        double.restart_guest()
        sweep.factor.set(parse_split_setting("2:2"))
    assert double.parameters() == before


def test_guest_restarted_with_pins_of_its_own_gets_the_placement_that_it_had(double, sweep):
    before = double.parameters()
    with sweep.lease:
        sweep.begin()
        double.restart_guest()
        with double.changing() as state:  # the new life has what its configuration file has
            state["domains"][1]["pins"] = {"hard": {0: "0", 1: "1"}, "soft": {2: "5"}}
        for _ in range(2):  # it stays another start: no other program placed it
            with pytest.raises(DomainGone, match=r"db1 was restarted \(number 1 became 5\)"):
                sweep.factor.confirm()
    assert double.parameters() == before


def test_guest_restarted_with_another_number_of_vcpus_is_named_and_the_io_domain_restored(double, sweep):
    before = double.parameters()
    sweep.lease.__enter__()
    sweep.begin()
    double.restart_guest()
    with double.changing() as state:
        state["domains"][1].update(vcpus=2, online=2, pins={"hard": {}, "soft": {}})
    with pytest.raises(
        RestoreFailed, match="db1 was restarted with 2 vCPUs and had 3: its original placement does not"
    ):
        sweep.lease.restore_host()
    assert double.parameters()[0] == before[0]
    with double.changing() as state:
        state["domains"][1].update(vcpus=3, online=3)
    sweep.lease.__exit__()
    assert double.parameters() == before


@pytest.mark.parametrize(
    ("split", "says"),
    [
        ("0:4", "'0:4' is not two positive numbers"),
        ("1:100", r"gives the I/O domain 0\.0396 of 4 CPUs, not whole CPUs"),
    ],
)
def test_dom0_without_a_cpu_is_refused(host, facts, split, says):
    keys = PLAN.format(mode="dedicated", cpus="2-5").replace("[cpus]", f'splits = ["{split}"]\n[cpus]')
    with pytest.raises(SpecError, match=says):
        meet_host(parse_plan(keys), host, facts)
