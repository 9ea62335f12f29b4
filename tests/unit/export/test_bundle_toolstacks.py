"""Laws of the scripts for domains that belong to one toolstack: Xen's, XAPI or libvirt."""

import subprocess
import xml.etree.ElementTree as ET

import pytest

from scheduler.export.bundle_dialects import xen_commands
from scheduler.model.host_properties import DomainProperties
from scheduler.model.scheduler_params import RtdsParams, RtdsVcpu
from scheduler.model.split import GUEST
from tests.unit.export.domain_bundle import DEFAULT_RTDS, libvirt_hosts
from tests.unit.export.recorders import GUEST_UUID, IO_UUID, change, told, world


@pytest.mark.parametrize("kind", ["credit2", "rtds", "sedf-xm"])
def test_dom0_is_set_at_boot_by_a_unit_with_numbers_only(bundle, kind):
    made = bundle(kind)
    unit = made.etc / "systemd/system/domtune-dom0.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("# the owner's\n")
    assert made.codes("apply.sh", "persist.sh") == [0, 0]
    lines = [line for line in unit.read_text().splitlines() if line.startswith("ExecStart=")]
    calls = [line.removeprefix("ExecStart=").split() for line in lines]
    assert {call[0] for call in calls} <= {str(made.tools / "xl"), str(made.tools / "xm")}
    rolled_back = made.values()["0"]
    change(made.tools, params={**made.values(), "0": made.found["params"]["0"]})
    for call in calls:
        subprocess.run(call, check=True, timeout=30)
    assert made.values()["0"] == rolled_back
    assert (unit.parent / "multi-user.target.wants/domtune-dom0.service").resolve() == unit
    unit.write_text(unit.read_text().replace(calls[0][-1], "77"))
    assert made.codes("verify.sh", "rollback.sh") == [1, 0]
    assert unit.read_text() == "# the owner's\n"


def test_credit_guest_gets_lines_for_its_own_file_and_the_others_learn_why_not(bundle):
    credit2 = (bundle("credit2").folder / "guest.cfg").read_text().splitlines()
    assert credit2[-2:] == ["cpu_weight = 342", "cap = 64"]
    assert all(line.startswith("# ") for line in credit2[:-2])


def test_rtds_is_reported_extra_time_only_where_xen_knows_it(bundle):
    made = bundle("rtds")
    assert made.codes("apply.sh") == [0]
    sets = [call for call in told(made.tools) if "-p" in call]
    assert [call[call.index("-v") + 1] for call in sets] == ["0", "1", "0"]
    assert all(call[call.index("-e") + 1] == "0" for call in sets)
    assert "run apply.sh after each start" in (made.folder / "guest.cfg").read_text()


def test_before_xen_4_10_no_extra_time_is_written(bundle):
    made = bundle("rtds", versions={"xen": "4.8.1"})
    made.run("apply.sh")
    sets = [call for call in told(made.tools) if "-p" in call]
    assert sets
    assert not any("-e" in call for call in sets)


def test_other_vcpus_than_measured_stop_the_script(bundle):
    made = bundle("rtds")
    change(made.tools, params={"0": DEFAULT_RTDS, "7": DEFAULT_RTDS})
    stopped = made.run("apply.sh")
    assert stopped.returncode == 2
    assert "other vCPUs than when it was measured" in stopped.stderr
    assert not any("-p" in call for call in told(made.tools))


def test_another_scheduler_stops_the_script_although_xl_exits_zero(bundle):
    made = bundle("credit2")
    change(made.tools, scheduler="rtds")
    stopped = made.run("apply.sh")
    assert stopped.returncode == 2
    assert "another scheduler" in stopped.stderr
    assert not list(made.state.glob("*")) if made.state.exists() else True


def test_another_xen_than_measured_is_noted(bundle):
    made = bundle("credit2")
    change(made.tools, version="4.19.0")
    applied = made.run("apply.sh")
    assert applied.returncode == 0
    assert "measured with Xen 4.17.7, here is 4.19.0: the evidence may be out of date" in applied.stdout


def test_sweep_in_progress_is_left_alone(bundle):
    made = bundle("credit2")
    (made.state / "sweep").mkdir(parents=True)
    (made.state / "sweep" / "armed").touch()
    stopped = made.run("apply.sh")
    assert stopped.returncode == 2
    assert "a sweep, or what follows it, holds this host" in stopped.stderr
    assert told(made.tools) == []


def test_weight_that_the_hypervisor_computes_again_is_seen(bundle):
    made = bundle("xapi")
    change(made.tools, privdom=True)
    assert made.codes("apply.sh") == [1]
    assert made.values()["0"][0] == 9999


def test_xapi_keeps_the_guests_part_and_reports_when_it_counts(bundle):
    made = bundle("xapi")
    assert made.codes("apply.sh") == [0]
    kept = made.run("persist.sh")
    assert kept.returncode == 0, kept.stdout + kept.stderr
    assert world(made.tools)["xapi"] == {"weight": "342", "cap": "64"}
    assert "applies when the VM is next built" in kept.stdout
    readme = (made.folder / "README.txt").read_text()
    assert f"xe vm-param-set uuid={GUEST_UUID} VCPUs-params:weight=342 VCPUs-params:cap=64" in readme
    assert "applies when the VM is next built" in readme
    assert made.codes("rollback.sh") == [0]
    assert world(made.tools)["xapi"] == {"weight": "300"}


@libvirt_hosts
def test_configuration_another_else_changed_is_not_overwritten(bundle, kind):
    made = bundle(kind)
    assert made.codes("apply.sh", "persist.sh") == [0, 0]
    config = world(made.tools)["config"]
    config[GUEST_UUID]["cpu_shares"] = 4321
    change(made.tools, config=config)
    rolled = made.run("rollback.sh")
    assert rolled.returncode == 1
    assert "changed since by another program" in rolled.stdout
    assert world(made.tools)["config"][GUEST_UUID]["cpu_shares"] == 4321


@libvirt_hosts
def test_snippets_are_elements_that_libvirt_knows(bundle, kind):
    made = bundle(kind)
    snippets = list(made.folder.glob("*-cputune.xml"))
    assert len(snippets) == (1 if kind == "qemu-emulator" else 2)
    for path in snippets:
        element = ET.fromstring(path.read_text())
        assert element.tag == "cputune"
        assert {child.tag for child in element} <= {"shares", "period", "quota", "emulator_period", "emulator_quota"}
        assert all(int(child.text) > 0 for child in element)


@pytest.mark.parametrize("kind", ["credit2", "rtds", "xapi"])
@pytest.mark.parametrize("hard", [{"0": ["all"], "7": ["1"]}, {"0": ["1"], "7": ["2"]}, {"0": ["0-1"], "7": ["0-1"]}])
def test_caps_measured_on_one_cpu_are_not_applied_where_there_are_several(bundle, kind, hard):
    made = bundle(kind)
    before = world(made.tools)
    change(made.tools, hard=hard)
    stopped = made.run("apply.sh")
    assert stopped.returncode == 2
    assert "pin both to one CPU first" in stopped.stderr
    assert world(made.tools) == {**before, "hard": hard}
    assert made.left() == []


@pytest.mark.parametrize(
    ("kind", "role"), [("qemu-v1", IO_UUID), ("qemu-v1", GUEST_UUID), ("qemu-emulator", GUEST_UUID)]
)
@pytest.mark.parametrize(("how", "script"), [("live", "apply.sh"), ("config", "persist.sh")])
def test_libvirt_caps_of_one_cpu_are_refused_where_domains_may_use_several(bundle, kind, role, how, script):
    made = bundle(kind)
    pins = world(made.tools)["pins"]
    change(made.tools, pins={**pins, how: {**pins[how], role: "0-1"}})
    before = world(made.tools)
    stopped = made.run(script)
    assert stopped.returncode == 2
    assert "pin both to one CPU first" in stopped.stderr
    assert world(made.tools) == before
    assert made.left() == []


def test_libvirt_caps_of_one_cpu_are_refused_where_domains_use_different_cpus(bundle):
    made = bundle("qemu-v1")
    pins = world(made.tools)["pins"]
    change(made.tools, pins={**pins, "live": {IO_UUID: "0", GUEST_UUID: "1"}})
    assert made.codes("apply.sh") == [2]


def test_caps_of_dom0_are_not_kept_where_no_pin_survives_the_reboot(bundle):
    made = bundle("credit2")
    change(made.tools, booted="dom0_mem=1G dom0_max_vcpus=16")
    assert made.codes("apply.sh") == [0]
    stopped = made.run("persist.sh")
    assert stopped.returncode == 2
    assert "pins are gone after a reboot" in stopped.stderr
    assert not made.etc.exists()


def test_weights_are_applied_and_kept_on_several_cpus(bundle):
    made = bundle("credit")
    change(made.tools, booted="", hard={"0": ["all"], "7": ["all"]})
    assert made.codes("apply.sh", "persist.sh", "verify.sh", "rollback.sh") == [0, 0, 0, 0]


def test_xen_commands_of_a_bundle_set_unequal_vcpus_one_by_one():
    params = RtdsParams((RtdsVcpu(10_000, 4_000, extratime=True), RtdsVcpu(20_000, 4_000, extratime=True)))
    asked = DomainProperties(GUEST, "db1", 2, (0,))
    assert xen_commands("rtds", (4, 17), params, asked, "GUEST") == [
        "xl sched-rtds -d GUEST -v 0 -p 10000 -b 4000 -e 1",
        "xl sched-rtds -d GUEST -v 1 -p 20000 -b 4000 -e 1",
    ]


def test_persist_for_a_domain_that_is_shut_off_leaves_nothing(bundle):
    made = bundle("lxc-v2")
    change(made.tools, running=[IO_UUID])
    before = world(made.tools)
    assert made.codes("persist.sh") == [2]
    assert (world(made.tools), made.left()) == (before, [])
