"""What XAPI shows before a sweep: each mis-setup with its level, its numbers and what to do."""

import math
import re
import xmlrpc.client
from datetime import UTC, datetime

import pytest

from scheduler.hosts.xapi.domain_findings import describe_difference
from scheduler.hosts.xapi.metrics import fetch_metrics, read_certificates
from scheduler.hosts.xapi.pool_inventory import choose_pair, read_inventory
from scheduler.hosts.xapi.preflight_data import PreflightData
from scheduler.hosts.xapi.xapi_host import list_findings
from scheduler.hosts.xapi.xapi_records import VmRecord, parse_record
from scheduler.model.host_properties import Severity
from scheduler.model.plan_file import parse_plan
from scheduler.model.scheduler_params import Credit2Params, CreditParams
from scheduler.model.study_concerns import select_findings
from tests.unit.model.test_study_concerns import PLANS
from tests.xapi_double import pool as double
from tests.xapi_double.pool import DOM0_UUID, GUEST_UUID, HOST_UUID
from tests.xapi_double.rrd import GENERATIONS, Metrics

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
FOUND = CreditParams(256)
GUEST, DOM0, HOST = "OpaqueRef:v1", "OpaqueRef:d1", "OpaqueRef:h1"


def at(text):
    return xmlrpc.client.DateTime(text)


def columns(**values):
    """Metrics with one row; names are `KIND_METRIC`."""
    uuids = {"vm": GUEST_UUID, "dom0": DOM0_UUID, "host": HOST_UUID, "other": GUEST_UUID[:-1] + "7"}
    kinds = {"host": "host"}
    legend = []
    for name in values:
        kind, _, metric = name.partition("_")
        legend.append(f"AVERAGE:{kinds.get(kind, 'vm')}:{uuids[kind]}:{metric}")
    return Metrics(legend, [(1, list(values.values()))])


@pytest.fixture
def seen(line, session, pool):
    def seen(live=FOUND, xen="4.17.6", competitors=None):
        world = read_inventory(line)
        known = read_certificates(line)
        pair = choose_pair(world, "127.0.0.1", "", "db1")
        everyone = frozenset(vm.uuid for vm in world.vms.values())
        metrics = fetch_metrics(session, world, pair.host, known.get(pair.host))
        beside = everyone if competitors is None else competitors
        return list_findings(PreflightData(world, pair, live, xen, metrics, known.get(pair.host), NOW, beside))

    return seen


def with_text(found, words):
    matching = [finding for finding in found if words in finding.text]
    assert len(matching) == 1, [finding.text for finding in found]
    return matching[0]


def test_good_host_has_no_errors_and_no_warnings(pool, seen):
    pool.metrics = columns(vm_cpu0=0.0, vm_runstate_full_contention=0.0, host_loadavg=0.1)
    assert {finding.level for finding in seen()} == {Severity.INFO}


@pytest.mark.parametrize(
    ("where", "change", "level", "words"),
    [
        ("pool", {"ha_enabled": True}, Severity.ERROR, "high availability is on"),
        ("pool", {"wlb_enabled": True}, Severity.WARNING, "workload balancing is on"),
        (HOST, {"enabled": False}, Severity.WARNING, "maintenance mode"),
        (HOST, {"guest_VCPUs_params": {"mask": "2,3"}}, Severity.INFO, "keeps all guests on CPU 2,3"),
        (
            HOST,
            {"software_version": {"xen": "4.13.4-1"}},
            Severity.ERROR,
            "reports Xen 4.13.4-1 on xcp1, but 'xl' over ssh reports 4.17",
        ),
        (HOST, {"ssh_enabled": False}, Severity.WARNING, "sshd is off"),
        (HOST, {"ssh_auto_mode": True}, Severity.WARNING, "ssh_auto_mode"),
        (GUEST, {"memory_dynamic_min": "536870912"}, Severity.WARNING, "db1 has dynamic memory, 512 to 1024 MiB"),
        (
            DOM0,
            {"memory_dynamic_max": "2147483648"},
            Severity.WARNING,
            "Control domain on host: xcp1 has dynamic memory",
        ),
        (GUEST, {"current_operations": {"OpaqueRef:t": "clean_reboot"}}, Severity.ERROR, "middle of: clean_reboot"),
        (GUEST, {"snapshot_schedule": "OpaqueRef:vmss"}, Severity.WARNING, "schedule of snapshots"),
        (GUEST, {"VCPUs_params": {"weight": "512"}}, Severity.WARNING, "weight 256 live, 512 kept"),
        (GUEST, {"VCPUs_params": {"mask": "0,1"}}, Severity.INFO, "pins db1 to CPU 0,1 whenever it is built"),
        (DOM0, {"VCPUs_params": {"weight": "512"}}, Severity.INFO, "for Dom0; these never have an effect"),
    ],
)
def test_mis_setup_is_found_with_its_level(pool, seen, where, change, level, words):
    assert all(words not in finding.text for finding in seen())
    target = pool.pool if where == "pool" else pool.hosts[where] if where == HOST else pool.vms[where]
    target.update(change)
    finding = with_text(seen(), words)
    assert finding.level is level
    assert finding.hint or level is Severity.INFO


def test_xapi_findings_name_the_setting_and_no_command(pool, seen):
    pool.pool.update(ha_enabled=True, wlb_enabled=True)
    pool.hosts[HOST].update(
        enabled=False, ssh_auto_mode=True, ssh_enabled_timeout="3600", ssh_expiry=at("20261121T12:30:00Z")
    )
    found = seen()
    assert with_text(found, "will end its sshd").hint.startswith(
        "Set the time limit of sshd (ssh-enabled-timeout) to 0"
    )
    assert with_text(found, "ssh_auto_mode").hint == "Switch ssh_auto_mode off until the sweep is over."
    pool.hosts[HOST].update(ssh_enabled=False)
    assert [each.hint for each in (*found, *seen()) if re.search(r"\b(xe|xl) [a-z]", each.hint)] == []


def test_hundred_busy_machines_are_one_finding(pool, seen):
    uuids = [f"{GUEST_UUID[:-3]}{number:03d}" for number in range(100)]
    for number, uuid in enumerate(uuids):
        pool.add_vm(f"OpaqueRef:o{number}", f"web{number}", uuid=uuid, domid=str(number + 20))
    legend = [f"AVERAGE:vm:{uuid}:cpu0" for uuid in uuids]
    pool.metrics = Metrics(legend, [(1, [0.5 + number / 1000 for number in range(100)])])
    text = with_text(seen(), "may run on the same CPUs").text
    assert text.startswith("web99, web98, web97 and 97 more may run on the same CPUs and used 54.95 CPUs")


def test_errors_come_first(pool, seen):
    pool.pool.update(ha_enabled=True, wlb_enabled=True)
    levels = [finding.level for finding in seen()]
    assert levels == sorted(levels, key=[Severity.ERROR, Severity.WARNING, Severity.INFO].index)


@pytest.mark.parametrize(
    ("expiry", "level", "words"),
    [
        ("20261121T12:30:00Z", Severity.ERROR, "in 30 minutes"),
        ("20261121T11:00:00Z", Severity.ERROR, "in 0 minutes"),
        ("20261121T18:00:00Z", Severity.WARNING, "2026-11-21 18:00 UTC, in 360 minutes"),
    ],
)
def test_sshd_that_will_end_is_reported_with_its_hour(pool, seen, expiry, level, words):
    pool.hosts[HOST].update(ssh_enabled_timeout="3600", ssh_expiry=at(expiry))
    finding = with_text(seen(), "will end its sshd")
    assert finding.level is level
    assert words in finding.text


def test_hosts_older_than_the_ssh_fields_have_no_finding_about_them(pool, seen):
    for name in [name for name in pool.hosts[HOST] if name.startswith("ssh_")]:
        del pool.hosts[HOST][name]
    assert all("ssh" not in finding.text for finding in seen())


def test_kept_weights_under_another_scheduler_are_reported_to_be_unused(pool, seen):
    pool.vms[GUEST]["VCPUs_params"] = {"weight": "512", "cap": "50"}
    assert with_text(seen(Credit2Params(256)), "for the credit scheduler only").level is Severity.INFO


def test_busy_neighbour_is_reported_with_its_cpus(pool, seen):
    pool.add_vm("OpaqueRef:v7", "backup", uuid=GUEST_UUID[:-1] + "7", domid="9")
    pool.metrics = columns(other_cpu0=0.5, other_cpu1="0.25", vm_cpu0=1.0, dom0_cpu0=1.0)
    assert with_text(seen(), "backup may run on the same CPUs").text.endswith("used 0.75 CPUs over the last minute")
    assert all("backup" not in finding.text for finding in seen(competitors=frozenset({GUEST_UUID})))
    pool.metrics = columns(other_cpu0=0.05)
    assert all("backup" not in finding.text for finding in seen())
    pool.metrics = columns(other_cpu0=0.5)
    pool.vms["OpaqueRef:v7"]["resident_on"] = "OpaqueRef:h2"
    assert all("backup" not in finding.text for finding in seen())


def test_busy_dom0_is_reported(pool, seen):
    pool.metrics = columns(host_loadavg="3.5")
    assert "3.5" in with_text(seen(), "load average").text


def test_runstates_are_shown_when_recorded_and_named_when_not(pool, seen):
    pool.metrics = columns(vm_cpu0=0.1)
    assert "runstate_full_contention" in with_text(seen(), "records no runstates").hint
    pool.metrics = columns(vm_runstate_full_contention=0.4, vm_runstate_blocked=0.6)
    assert with_text(seen(), "over the last seconds").text.endswith("blocked 60 %, full_contention 40 %")


@pytest.mark.parametrize("generation", GENERATIONS)
def test_busy_neighbours_are_reported_whatever_form_of_json_the_version_has(pool, member, seen, generation):
    pool.rrd = generation
    pool.add_vm("OpaqueRef:v7", "backup", uuid=GUEST_UUID[:-1] + "7", domid="9")
    pool.metrics = columns(other_cpu0=0.5, other_cpu1=math.nan, vm_runstate_blocked=0.6, host_loadavg=3.5)
    found = seen()
    assert with_text(found, "backup may run on the same CPUs").text.endswith("used 0.50 CPUs over the last minute")
    assert with_text(found, "load average")
    assert with_text(found, "blocked 60 %")
    assert all("json" not in query for path, query in member.queries if path == "/rrd_updates")


@pytest.mark.parametrize("body", [b"<xport></xport>", b"<html>Internal Error</html>", b"{}"])
def test_metrics_that_are_none_are_reported_to_be_missing(pool, seen, body):
    pool.metrics_body = body
    assert with_text(seen(), "metrics could not be read").level is Severity.INFO


@pytest.mark.parametrize(
    ("until", "words"),
    [
        ("20200101T00:00:00Z", "ran out on 2020-01-01"),
        ("20261201T00:00:00Z", "runs out on 2026-12-01"),
        ("20360101T00:00:00Z", ""),
    ],
)
def test_certificate_s_end_is_reported(pool, seen, until, words):
    for ref, kind in (("OpaqueRef:c0", "ca"), ("OpaqueRef:c1", "host"), ("OpaqueRef:c2", "host_internal")):
        end = until if kind == "host" else "20200101T00:00:00Z"
        pool.certificates[ref] = {"type": kind, "host": HOST, "fingerprint": "AB", "not_after": at(end)}
    reported = [finding.text for finding in seen() if "certificate" in finding.text]
    assert len(reported) == bool(words)
    assert all(words in text for text in reported)


def test_versions_without_certificates_in_the_api_are_fine(pool, seen):
    pool.fail_at("Certificate.get_all_records", double.Fault("fail", ("MESSAGE_METHOD_UNKNOWN", "Certificate")))
    assert Severity.ERROR not in {finding.level for finding in seen()}


@pytest.mark.parametrize(
    ("target", "change", "words", "studies"),
    [
        ("pool", {"ha_enabled": True}, "high availability is on", {"split by caps", "overhead"}),
        ("host", {"guest_VCPUs_params": {"mask": "2,3"}}, "The two do not compete", {"split by caps"}),
        ("host", {"ssh_enabled": False}, "sshd is off", {"split by caps", "overhead", "capacity as found"}),
    ],
)
def test_xapi_findings_fit_each_study(pool, seen, target, change, words, studies):
    (pool.pool if target == "pool" else pool.hosts[HOST]).update(change)
    found = seen()
    for name in ("split by caps", "overhead", "capacity as found"):
        texts = [finding.text for finding in select_findings(parse_plan(PLANS[name]), found)]
        assert any(words in text for text in texts) == (name in studies), name


@pytest.mark.parametrize(
    ("kept", "live", "words"),
    [
        ({}, CreditParams(256), ""),
        ({"weight": "256", "cap": "0"}, CreditParams(256), ""),
        ({"weight": "512"}, CreditParams(512), ""),
        ({"weight": "512"}, CreditParams(256), "weight 256 live, 512 kept"),
        ({"weight": "a lot", "cap": ""}, CreditParams(256), ""),  # XAPI takes what is no number for the default
        ({}, CreditParams(128, 30), "weight 128 live, 256 kept, cap 30 live, 0 kept"),
        ({"weight": "512"}, Credit2Params(256), ""),  # another scheduler gets none of it
        ({"weight": "512"}, None, ""),
    ],
)
def test_difference_to_the_live_values_is_reported(pool, kept, live, words):
    vm = parse_record({**pool.vms[GUEST], "VCPUs_params": kept}, VmRecord)
    assert describe_difference(vm, live) == words
