"""`xl:` gives the guest vCPUs and takes them away, behind the guard; the toolstack's programs are doubles."""

import subprocess
import sys

import pytest

from scheduler.errors import HostError, ParameterRefused, SpecError, WriteNotVerified
from scheduler.hosts.remote.guard_helper import setup_files
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.plan_file import parse_plan
from scheduler.model.setting import VcpusSetting
from scheduler.model.split import GUEST, IO
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.run.factor import VcpusFactor
from scheduler.run.lease import VCPUS_SCOPE, HostLease, restore_originals
from tests.contract.host_contract import restore_elsewhere
from tests.xen_double.standing import stand_up
from tests.xen_double.state import GUEST_UUID, NO_UUID, domain

PLAN = parse_plan('host = "xl:"\nstudy = "scale-up"\n')
TWO, FOUR = VcpuParams(2), VcpuParams(4)


def guest_of(online, most):
    return {**domain(1, "rt guest", GUEST_UUID, offline=most - 1), "online": online}


@pytest.fixture
def double(tmp_path, monkeypatch):
    return stand_up(tmp_path, monkeypatch, cpus=4, domains=[domain(0, "Domain-0", NO_UUID), guest_of(2, 4)])


@pytest.fixture
def command_log():
    return []


@pytest.fixture
def host(double, command_log):
    host = open_host("xl:", lambda command, _: command_log.append(command), "", "", "")
    yield host
    host.close()


@pytest.fixture
def sized(host):
    """The host as a scale-up study has it."""
    host.facts()
    host.guard.guard_slot(GUEST_VCPUS)
    host.boot()
    return host


def online(double):
    subprocess.run([double.sbin / "xl", "list"], check=True, capture_output=True)  # time goes by in the double
    return double.load()["domains"][1]["online"]


def found(host):
    return {slot: host.read(slot) for slot in VCPUS_SCOPE.slots}


def test_vcpus_are_set_by_number_read_back_and_restored_with_everything(double, sized, command_log):
    facts, originals = sized.facts(), found(sized)
    assert (facts.vcpus.as_found, facts.vcpus.most, facts.vcpus.choices) == (2, 4, (1, 2, 4))
    assert originals[GUEST_VCPUS] == TWO
    for wanted in (VcpuParams(1), FOUR, TWO, FOUR):
        (announced,) = sized.commands(GUEST_VCPUS, wanted)
        command_log.clear()
        sized.write(GUEST_VCPUS, wanted)
        assert command_log[-1:] == [announced]
        assert announced.endswith(f"/xl vcpu-set 1 {wanted.online}")
        assert sized.read(GUEST_VCPUS) == wanted
        assert online(double) == wanted.online
    restore_originals(sized, originals)
    assert online(double) == 2
    assert found(sized) == originals


def test_guard_knows_the_way_back_before_the_first_write_and_goes_after_the_last(sized, tmp_path, guard):
    assert f"put {GUEST_UUID}" in (tmp_path / "run/sweep/restore.sh").read_text()
    assert "vcpu-set @ 2" in (tmp_path / "run/sweep/restore.sh").read_text()
    originals = found(sized)
    sized.write(GUEST_VCPUS, FOUR)
    restore_originals(sized, {slot: originals[slot] for slot in (IO, GUEST)})
    assert guard().state == "armed"
    restore_originals(sized, originals)
    assert guard().state == "none"


def test_sweep_of_splits_leaves_the_vcpus_out_of_everything(host, double, tmp_path):
    host.boot()
    assert "vcpu-set" not in (tmp_path / "run/sweep/restore.sh").read_text()
    host.close()
    assert "vcpu_sets" not in double.load()


def test_guard_that_fires_puts_the_vcpus_back(double, sized):
    sized.write(GUEST_VCPUS, FOUR)
    with double.changing() as state:
        state["follows_s"] = 0.5  # and a guest that takes its time is waited for
    sized.guard.rearm_guard()
    assert online(double) == 2
    sized.write(GUEST_VCPUS, VcpuParams(1))
    assert online(double) == 1


def test_guest_that_takes_its_time_is_waited_for(double, sized, tmp_path):
    with double.changing() as state:
        state["follows_s"] = 0.6
    with HostLease(sized, tmp_path / "journal", "xen-1", "xl:", lambda _: sized, VCPUS_SCOPE) as lease:
        VcpusFactor(lease).set(VcpusSetting(4))
        assert online(double) == 4
    assert online(double) == 2


def test_guest_that_does_not_cooperate_is_reported(double, sized, tmp_path, monkeypatch):
    monkeypatch.setattr("scheduler.hosts.xen.xen_vcpus.PATIENCE_S", 0.2)
    with double.changing() as state:
        state["stubborn"] = True
    lease = HostLease(sized, tmp_path / "journal", "xen-1", "xl:", lambda _: sized, VCPUS_SCOPE)
    with lease, pytest.raises(WriteNotVerified, match="guest-vcpus"):
        VcpusFactor(lease).set(VcpusSetting(4))
    assert not list((tmp_path / "journal").glob("*.json"))


def test_vcpu_that_does_not_come_back_ends_the_study_before_more_are_taken(double, command_log, tmp_path, monkeypatch):
    """`xl vcpu-set` up ends with 0, and the guest's kernel leaves the vCPU offline without a udev rule."""
    monkeypatch.setattr("scheduler.hosts.xen.xen_vcpus.PATIENCE_S", 0.2)
    with double.changing() as state:
        state["stuck"], state["domains"][1]["online"] = True, 3
    host = open_host("xl:", lambda command, _: command_log.append(command), "", "", "")
    host.facts()
    host.guard.guard_slot(GUEST_VCPUS)
    host.boot()
    with pytest.raises(WriteNotVerified, match=r"for 3 vCPUs, but after 0\.2 s the guest uses 2") as caught:
        host.write(GUEST_VCPUS, VcpuParams(1))
    assert "CPU 2 of the guest stays offline" in caught.value.hint
    assert "udev rule" in caught.value.hint
    assert [line.split()[-1] for line in command_log if "vcpu-set" in line and line[0] != "#"] == ["2", "3"]
    with double.changing() as state:
        state["stuck"] = False  # somebody installs the rule
    host.write(GUEST_VCPUS, VcpuParams(3))
    host.close()
    assert online(double) == 3


def test_guard_does_not_call_a_guest_restored_whose_vcpus_stay_offline(double, sized, tmp_path, monkeypatch):
    sized.write(GUEST_VCPUS, VcpuParams(1))
    with double.changing() as state:
        state["stuck"] = True
    script = tmp_path / "run/sweep/restore.sh"
    script.write_text(script.read_text().replace("tries=20", "tries=1"))
    with pytest.raises(HostError, match="does not use 2 vCPUs"):
        sized.guard.rearm_guard()
    with double.changing() as state:
        state["stuck"] = False
    sized.guard.rearm_guard()
    assert online(double) == 2


def test_more_than_maxvcpus_is_refused_before_anything_is_asked(double, sized):
    with pytest.raises(ParameterRefused, match=r"1\.\.4") as refused:
        sized.write(GUEST_VCPUS, VcpuParams(5))
    assert "maxvcpus" in refused.value.hint
    assert "vcpu_sets" not in double.load()


def test_another_process_puts_the_vcpus_back_after_a_kill(double, sized):
    originals, context = found(sized), sized.context()
    sized.write(GUEST_VCPUS, FOUR)
    for _ in range(2):  # a restore may itself be killed and repeated
        restore_elsewhere("xl:", context, originals)
        assert online(double) == 2
    with pytest.raises(HostError):
        sized.write(GUEST_VCPUS, FOUR)  # its guard is gone: nothing more is changed


@pytest.mark.parametrize(
    ("now", "most", "cpus", "told"),
    [(1, 1, 4, "maxvcpus = 1"), (1, 4, 1, "this host has 1 CPU"), (3, 4, 2, "could not restore them")],
)
def test_guest_that_can_have_no_more_is_refused_in_plan_checking(tmp_path, monkeypatch, now, most, cpus, told):
    domains = [domain(0, "Domain-0", NO_UUID), guest_of(now, most)]
    stand_up(tmp_path, monkeypatch, cpus=cpus, domains=domains)
    host = open_host("xl:", lambda *_: None, "", "", "")
    with pytest.raises(SpecError, match=told) as refused:
        PLAN.fit_to_host(host.facts())
    assert refused.value.hint
    host.close()


@pytest.mark.parametrize(
    ("words", "may"),
    [
        ("/usr/sbin/xl vcpu-set 3 2", True),
        ("/usr/sbin/xl vcpu-set 0 1", False),
        ("/usr/sbin/xl vcpu-set 3 0", False),
        ("/usr/sbin/xl vcpu-set 3", False),
        ("/usr/sbin/xl vcpu-set 3 2 1", False),
        ("/usr/sbin/xl vcpu-set all 2", False),
        ("/usr/sbin/xl vcpu-set -i 2", False),
        ("/bin/sh vcpu-set 3 2", False),
    ],
)
def test_account_without_root_may_size_guests_and_nothing_else(words, may):
    helper = setup_files("domtune")["domtune-guard"]
    wanted = helper[helper.index("PROGRAMS=") : helper.index("permitted() {", helper.index("PROGRAMS="))]
    done = subprocess.run(["sh", "-c", f"{wanted}\na_change {words}"], check=False, capture_output=True)
    assert (done.returncode == 0) == may, (sys.platform, done.stderr)
    for who, fine in (("dom0", False), (GUEST_UUID, may)):
        line = f"put {who} {words.replace(' 3 ', ' @ ')}"
        put = subprocess.run(["sh", "-c", f"{wanted}\na_put '{line}'"], check=False, capture_output=True)
        assert (put.returncode == 0) == fine, line
