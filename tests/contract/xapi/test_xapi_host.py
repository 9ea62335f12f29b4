"""`xapi:` obeys the laws of hosts: the pool and the toolstack's programs are doubles, everything else is real."""

import json

import pytest

from scheduler.errors import DomainGone, HostKeyUnknown, HostNotUsable, SpecError
from scheduler.hosts.xapi.xapi_host import open_host, reopen_host
from scheduler.hosts.xapi.xapi_url import SECRET
from scheduler.model.host_properties import Severity
from scheduler.model.scheduler_params import CreditParams
from scheduler.model.split import GUEST, IO
from tests.contract.host_contract import restore_elsewhere
from tests.contract.kept_contract import KeptContract
from tests.sshd import trusted_sshd
from tests.volume import deep
from tests.xapi_double.fixtures import forget_pins, listening, settle, until
from tests.xapi_double.pool import PASSWORD, seen_by_xl, small_pool
from tests.xen_double.standing import stand_up

VM = "OpaqueRef:v1"
WANTED = CreditParams(weight=700, cap_pct=40)


class DoubleSubject:
    """A doubled pool by a URL; what a sweep may change is in Dom0 and in XAPI's database."""

    def __init__(self, url, pool, dom0):
        self.url = url
        self._pool = pool
        self._dom0 = dom0

    def open(self, command_log):
        return open_host(self.url, command_log, "", "", "")

    def snapshot(self):
        return self._dom0.parameters(), {ref: dict(vm["VCPUs_params"]) for ref, vm in self._pool.vms.items()}


class TestPool(KeptContract):
    if not deep():  # Dom0 is changed by the adapter of `xl+ssh:`, which holds these
        test_modes_may_follow_each_other_in_any_order = None
        test_baseline_can_be_set_and_means_no_split = None
        test_original_can_be_restored_twice_and_before_any_write = None
        test_host_can_be_restored_and_taken_again = None
        test_withdrawing_changes_no_parameter = None
        test_writing_twice_is_writing_once = None
        test_commands_touches_nothing = None
        test_every_change_is_announced_before_it_is_made = None

    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls, tmp_path_factory, pairs):
        folder, pool = tmp_path_factory.mktemp("contract"), small_pool()
        with pytest.MonkeyPatch.context() as patch:
            settle(folder, patch)
            dom0 = stand_up(folder, patch, **seen_by_xl())
            with listening(pool, pairs["xcp1"]) as member, trusted_sshd(folder / "sshd", patch) as sshd:
                yield DoubleSubject(f"{member.url}?ssh={sshd.user}@127.0.0.1:{sshd.port}", pool, dom0)


@pytest.fixture
def told():
    return []


@pytest.fixture
def host(url, told):
    host = open_host(url, lambda *words: told.append(words), "", "", "")
    yield host
    host.close()


def test_sweep_leaves_no_session_behind(pool, host):
    host.facts()
    host.boot()
    assert len(pool.sessions) == 1
    host.close()
    assert pool.sessions == {}


def test_host_that_cannot_be_opened_leaves_no_session_behind(url, pool):
    with pytest.raises(SpecError):
        open_host(url, lambda *_: None, "", "nobody", "")
    assert pool.calls[0][0] == "session.login_with_password"
    assert pool.sessions == {}


def test_facts_join_what_xl_and_xapi_see(pool, url):
    pool.pool["ha_enabled"] = True
    host = open_host(url, lambda *_: None, "", "", "")
    facts = host.facts()
    host.close()
    assert facts.url == url
    assert facts.scheduler == "credit"
    assert facts.versions["xapi"] == "26.1"
    assert facts.title.startswith("XCP-ng 8.3.0, ")
    texts = [finding.text for finding in facts.findings]
    assert any("the scheduler of CPU pool" in text for text in texts)  # from xl
    assert any("high availability is on" in text for text in texts)  # from XAPI
    levels = [finding.level for finding in facts.findings]
    assert levels == sorted(levels, key=[Severity.ERROR, Severity.WARNING, Severity.INFO].index)


def test_both_ways_to_a_host_hold_the_same_lock(host, sshd):
    from scheduler.hosts.xen.xen_host import open_host as open_xen

    other = open_xen(sshd.url, lambda *_: None, "", "", "")
    assert other.facts().host_id == host.facts().host_id
    other.close()


def test_xl_that_shows_another_host_is_refused(host, dom0):
    with dom0.changing() as state:
        state["domains"][1]["uuid"] = "11111111-1111-4111-8111-111111111111"
    with pytest.raises(HostNotUsable, match=r"according to XAPI, db1 .* runs on xcp1"):
        host.facts()


@pytest.mark.parametrize("change", [{"domid": "7"}, {"power_state": "Halted", "domid": "-1"}])
def test_toolstack_ends_a_sweep_and_the_originals_come_back(host, pool, dom0, change):
    before = dom0.parameters()
    original = host.read(IO)
    host.boot()
    host.usage()
    host.write(IO, WANTED)
    pool.alter(VM, **change)

    def over():
        try:
            host.usage()
        except DomainGone:
            return True
        return False

    until(over)
    assert "db1" in host.failure_details()
    host.write(IO, original)
    assert dom0.parameters() == before


def test_restore_needs_no_xapi_no_password_and_no_certificate(host, url, member, dom0, monkeypatch):
    before = dom0.parameters()
    originals = {domain: host.read(domain) for domain in (IO, GUEST)}
    context = json.loads(json.dumps(dict(host.context())))
    host.boot()
    for domain in (IO, GUEST):
        host.write(domain, WANTED)
    member.stop()
    forget_pins()
    monkeypatch.delenv(SECRET)
    assert PASSWORD not in json.dumps(context)
    restore_elsewhere(url, context, originals)
    assert dom0.parameters() == before


def test_record_without_a_way_to_dom0_is_refused(url):
    with pytest.raises(Exception, match="does not say how Dom0 is reached"):
        reopen_host(url, {}, lambda *_: None)


def test_no_password_is_in_what_is_shown_or_kept(host, told):
    host.boot()
    host.write(GUEST, WANTED)
    shown = f"{host.facts()}{host.context()}{host.failure_details()}{told}{host.commands(GUEST, WANTED)}"
    assert PASSWORD not in shown
    assert "OpaqueRef:session" not in shown


def test_unknown_certificate_opens_nothing(url, member):
    forget_pins()
    with pytest.raises(HostKeyUnknown):
        open_host(url, lambda *_: None, "", "", "")
    assert member.asked == []
