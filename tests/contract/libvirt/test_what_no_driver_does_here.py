"""What cannot be brought about here, on a double of libvirt-python under our own worker process."""

import json
import sys
from pathlib import Path

import pytest

from scheduler.errors import (
    DomainGone,
    DomainPaused,
    HostError,
    HostNotUsable,
    ParameterRefused,
    RestoreFailed,
    SpecError,
)
from scheduler.hosts.libvirt import libvirt_python
from scheduler.hosts.libvirt.libvirt_opening import open_host, reopen_host
from scheduler.model.plan_file import parse_plan
from scheduler.model.split import GUEST, IO
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.run.lease import VCPUS_SCOPE
from scheduler.run.restore import restore_originals

DOUBLE = Path(__file__).resolve().parents[2] / "libvirt_double"
# As `PYTHON -I FILE`, or `PYTHON -I -c PROGRAM`, but the double is found first.
WRAPPER = """#!/bin/sh
shift
if [ "$1" = -c ]; then exec "{python}" -c "import sys; sys.path.insert(0, '{double}'); $2"; fi
exec "{python}" -c "import runpy, sys; sys.path.insert(0, '{double}'); runpy.run_path('$1', run_name='__main__')"
"""


@pytest.fixture
def double(tmp_path, monkeypatch):
    """Return a function that says how the doubled host is from now on."""
    wrapper, state = tmp_path / "python", tmp_path / "state.json"
    wrapper.write_text(WRAPPER.format(python=sys.executable, double=DOUBLE))
    wrapper.chmod(0o755)
    monkeypatch.setenv(libvirt_python.PYTHON_VARIABLE, str(wrapper))
    monkeypatch.setenv("DOMTUNE_DOUBLE", str(state))

    def be(*, migrated=False, scheduler="posix", **more):
        state.write_text(json.dumps({"migrated": migrated, "scheduler": scheduler, **more}))

    be()
    return be


@pytest.fixture
def host(double):
    opened = open_host("qemu://elsewhere/system", lambda command, answer: None, "", "db1", "")
    yield opened
    opened.close()


def test_domain_that_migrates_away_is_not_taken_for_one_that_ended(host, double):
    originals = {domain: host.read(domain) for domain in (IO, GUEST)}
    double(migrated=True)
    with pytest.raises(DomainGone, match="moved to another host, with its limits") as said:
        host.read(GUEST)
    assert "by hand" in said.value.hint
    with pytest.raises(RestoreFailed) as failed:
        restore_originals(host, originals)
    assert set(failed.value.pending) == {IO, GUEST}


def test_sweep_of_a_guest_that_crashed_and_is_preserved_stops_and_restores(here, double):
    originals = {domain: here.read(domain) for domain in (IO, GUEST)}
    here.boot()
    here.usage()
    double(vcpus={"online": 2, "most": 8}, condition=6)
    with pytest.raises(DomainGone, match=r"has crashed. It is still listed") as ended:
        here.usage()
    assert "does not count" in ended.value.hint
    restore_originals(here, originals)


def test_sweep_of_a_guest_that_is_paused_stops_and_restores(here, double):
    originals = {domain: here.read(domain) for domain in (IO, GUEST)}
    here.boot()
    here.usage()
    double(vcpus={"online": 2, "most": 8}, condition=3)  # VIR_DOMAIN_PAUSED
    with pytest.raises(DomainPaused, match=r"is paused. It is listed") as ended:
        here.usage()
    assert "virsh resume" in ended.value.hint
    restore_originals(here, originals)


@pytest.fixture
def command_log():
    return []


@pytest.fixture
def here(double, command_log):
    """A host that is set by the API alone, whose guest has two of eight vCPUs, one of which stays."""
    double(vcpus={"online": 2, "most": 8})
    opened = open_host("qemu:///system", lambda command, _: command_log.append(command), "", "db1", "")
    yield opened
    opened.close()


def test_vcpus_are_plugged_live_read_back_and_restored(here, command_log):
    facts, originals = here.facts(), {slot: here.read(slot) for slot in VCPUS_SCOPE.slots}
    assert (facts.vcpus.as_found, facts.vcpus.least, facts.vcpus.most) == (2, 1, 8)
    assert facts.vcpus.choices == (1, 2, 4, 8)
    for online in (1, 4, 8):
        (announced,) = here.commands(GUEST_VCPUS, VcpuParams(online))
        command_log.clear()
        here.write(GUEST_VCPUS, VcpuParams(online))
        assert command_log == [announced]
        assert announced.endswith(f"setvcpus {here.uuid(GUEST)} {online} --live")
        assert here.read(GUEST_VCPUS) == VcpuParams(online)
        assert here.baseline(GUEST_VCPUS) == VcpuParams(2)
    restore_originals(here, originals)
    assert here.read(GUEST_VCPUS) == originals[GUEST_VCPUS] == VcpuParams(2)


def test_another_process_puts_the_vcpus_back(here):
    original, context = here.read(GUEST_VCPUS), here.context()
    here.write(GUEST_VCPUS, VcpuParams(8))
    here.close()
    again = reopen_host("qemu:///system", context, lambda command, answer: None)
    restore_originals(again, {GUEST_VCPUS: original})
    assert again.read(GUEST_VCPUS) == VcpuParams(2)
    again.close()


def test_guest_that_keeps_its_vcpus_is_reported_with_libvirts_words(here, double):
    double(vcpus={"online": 2, "most": 8, "stubborn": True})
    with pytest.raises(HostError, match="timed out"):
        here.write(GUEST_VCPUS, VcpuParams(1))
    with pytest.raises(ParameterRefused, match=r"9 vCPUs, only 1\.\.8"):
        here.write(GUEST_VCPUS, VcpuParams(9))


@pytest.mark.parametrize(
    ("vcpus", "told"), [({"online": 4, "most": 4, "fixed": 4}, "cannot be unplugged"), (None, "cannot change")]
)
def test_guest_whose_vcpus_stay_is_refused_in_plan_checking(here, double, vcpus, told):
    double(**({"vcpus": vcpus} if vcpus else {}))
    with pytest.raises(SpecError, match=told) as refused:
        parse_plan('host = "qemu:///system"\nstudy = "scale-up"\n').fit_to_host(here.facts())
    assert refused.value.hint


def test_numbers_below_those_that_stay_are_left_out(here, double):
    double(vcpus={"online": 2, "most": 8, "fixed": 2})
    asked = parse_plan('host = "qemu:///system"\nstudy = "scale-up"\n')
    assert [setting.vcpus for setting in asked.fit_to_host(here.facts()).settings] == [2, 4, 8]


def test_scheduler_that_libvirt_cannot_name_is_not_usable(double):
    double(scheduler="")
    with pytest.raises(HostNotUsable, match="no parameters for this scheduler") as said:
        open_host("xen://elsewhere/system", lambda command, answer: None, "", "", "")
    assert said.value.hint


def test_threads_with_a_quota_of_their_own_are_reported(host):
    said = [finding.text for finding in host.facts().findings]
    assert any("2 I/O threads" in text for text in said)
    assert not any("emulated in software" in text for text in said)


def test_elsewhere_the_weights_report_the_version_and_the_clients_are_not_placed(host):
    facts = host.facts()
    assert facts.scheduler == "qemu-emulator"
    assert facts.client_cpus == ()
    assert facts.shared_cpus == (0,)
