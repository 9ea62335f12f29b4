"""`xen:`: libvirt sets what is measured; the toolstack reads it back and puts the originals back."""

import pytest

from scheduler.errors import HostError, HostNotUsable, SpecError
from scheduler.hosts.host_registry import open_host
from scheduler.model.placement import PLACE_SLOTS
from scheduler.model.scheduler_params import Credit2Params
from scheduler.model.split import GUEST, IO
from tests.contract.placement_contract import prepare_placement
from tests.xen_double.standing import stand_up
from tests.xen_double.state import GUEST_UUID, NO_UUID
from tests.xen_double.state import domain as make_domain

URL = "xen:///system"


@pytest.fixture
def sent():
    return []


@pytest.fixture
def host(double, sent):
    host = open_host(URL, lambda command, answer: sent.append(command))
    yield host
    host.close()


def test_libvirt_sets_both_parameters_at_once(double, host, sent):
    host.facts()
    host.write(GUEST, Credit2Params(512, 50))
    sets = [line for line in sent if "virsh" in line]
    assert [line.partition(" ")[2] for line in sets] == [
        "-q -c xen:///system schedinfo 1 --set weight=512 --set cap=50"
    ]
    assert host.commands(GUEST, Credit2Params(512, 50)) == tuple(sets)
    assert host.read(GUEST) == Credit2Params(512, 50)


def test_originals_come_back_without_libvirtd(double, host, guard):
    before = double.parameters()
    found = {domain: host.baseline(domain) for domain in (IO, GUEST)}
    for domain in (IO, GUEST):
        host.write(domain, Credit2Params(512, 50))
    with double.changing() as state:
        state["libvirtd"] = False
    with pytest.raises(HostError, match="Failed to connect socket"):
        host.write(GUEST, Credit2Params(100, 20))
    for domain in (IO, GUEST):
        host.write(domain, found[domain])
        host.release_domain(domain)
    assert double.parameters() == before
    assert guard().state == "none"


def test_originals_that_changed_after_the_look_come_back_without_libvirtd_too(double, host):
    host.facts()
    with double.changing() as state:
        state["domains"][1]["weight"] = 300
    host.write(GUEST, Credit2Params(512, 50))
    assert host.baseline(GUEST) == Credit2Params(300)
    with double.changing() as state:
        state["libvirtd"] = False
    host.write(GUEST, Credit2Params(300))
    assert host.read(GUEST) == Credit2Params(300)


def test_what_is_restored_goes_by_xl_in_the_dry_run_too(double, host):
    host.facts()
    [line] = host.commands(GUEST, host.baseline(GUEST))
    assert line.endswith("/xl sched-credit2 -d 1 -w 256 -c 0")


@pytest.mark.parametrize(
    ("changes", "said", "hint"),
    [
        ({"libvirtd": False}, "libvirt does not answer", "Start libvirtd"),
        ({"scheduler": "rtds"}, "libvirt has no parameters for the scheduler 'rtds'", "xl+ssh"),
        ({"unknown_to_libvirt": ["rt guest"]}, "does not know 'rt guest'", "xl create"),
    ],
)
def test_host_on_which_libvirt_cannot_set_is_refused_at_once(double, changes, said, hint):
    with double.changing() as state:
        state.update(changes)
    before = double.parameters()
    host = open_host(URL, lambda command, answer: None)
    with pytest.raises(HostNotUsable, match=said) as refused:
        host.facts()
    host.close()
    assert hint in refused.value.hint
    assert double.parameters() == before


def test_truth_names_who_sets_and_who_reads(host):
    facts = host.facts()
    assert facts.versions["libvirt"] == "9.0.0"
    assert any("xl places the domains, reads everything back" in finding.text for finding in facts.findings)


def test_placement_is_set_and_restored_by_xl_also_without_libvirtd(tmp_path, monkeypatch, sent):
    domains = [make_domain(0, "Domain-0", NO_UUID), make_domain(1, "db1", GUEST_UUID, offline=1)]
    domains[1]["pins"] = {"hard": {0: "1-2"}, "soft": {1: "3"}}
    double = stand_up(tmp_path, monkeypatch, cpus=4, domains=domains)
    before = double.parameters()
    host = open_host(URL, lambda command, answer: sent.append(command))
    slots = (PLACE_SLOTS[IO], PLACE_SLOTS[GUEST])
    originals = prepare_placement(host)
    host.write(slots[0], originals[slots[0]].confined_to((0,)))
    host.write(slots[1], originals[slots[1]].confined_to((2, 3)))
    with double.changing() as state:
        state["libvirtd"] = False
    assert host.read(slots[1]).vcpus == ((2, 3), (2, 3))
    for slot in slots:
        host.write(slot, originals[slot])
    host.close()
    assert double.parameters() == before
    assert not any("vcpupin" in line or "virsh" in line for line in sent)
    assert sum(" vcpu-pin " in line for line in sent) == 6


@pytest.mark.parametrize(
    "url",
    [
        "xen+ssh://root@host/session",
        "xen+ssh://root:s3cret@host/system",
        "xen+tls://root:s3cret@host/system",
        "xen:///session",
        "xen://root:s3cret@host/system",
        "xen:",
        "xen+ssh:///system",
        "xen+ssh:",
        "xl+ssh://",
        "xl+ssh:",
        "xen+ssh://[::1/system",
    ],
)
def test_way_that_no_guard_can_go_is_refused(url):
    with pytest.raises(SpecError) as refused:
        open_host(url, lambda command, answer: None)
    assert "s3cret" not in str(refused.value)
    assert refused.value.hint
