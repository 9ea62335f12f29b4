"""`xl:` with a second guest, which runs there already: the same promise for all three; the tools are doubles."""

import json
import os
import signal
import subprocess
import sys
import time

import msgspec
import pytest

from scheduler.errors import DomainGone, HostError, HostNotUsable, ParameterRefused, SpecError
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.guests import LoadedGuests
from scheduler.model.host_properties import Severity
from scheduler.model.placement import PLACE_SLOTS
from scheduler.model.plan_file import parse_plan
from scheduler.model.scheduler_params import Credit2Params
from scheduler.model.setting import GuestsSetting
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, GUEST_2, IO, ROLES, parse_split
from scheduler.run.factor import SplitFactor
from scheduler.run.lease import GUESTS_SCOPE, HostLease
from scheduler.run.restore import restore_originals
from scheduler.shares.model_lookup import find_share_model
from scheduler.shares.share_model import build_host_machine
from scheduler.studies.study_meeting import meet_host
from tests.contract.host_contract import REPO, restore_elsewhere
from tests.sshd import until
from tests.xen_double.looking import MOST_S, until_gone, weights
from tests.xen_double.standing import stand_up
from tests.xen_double.state import GUEST_UUID, NO_UUID, domain

SECOND_UUID = f"9{GUEST_UUID[1:]}"
FOUND = Credit2Params(weight=256)
WANTED = {IO: Credit2Params(512, 64), GUEST: Credit2Params(128, 16), GUEST_2: Credit2Params(300, 15)}
PLAN = """
host = "xl:"
study = "isolation"
second_database = "postgresql://u@10.0.0.3/d"
[domains]
guest = "db1"
[[load]]
kind = "osdb-ir"
database = "postgresql://u@10.0.0.2/d"
"""


def three(*more):
    return [domain(0, "Domain-0", NO_UUID), domain(1, "db1", GUEST_UUID), domain(2, "db2", SECOND_UUID), *more]


@pytest.fixture
def double(tmp_path, monkeypatch):
    return stand_up(tmp_path, monkeypatch, domains=three())


@pytest.fixture
def command_log():
    return []


@pytest.fixture
def one(double, command_log):
    """The host before a second guest is added."""
    host = open_host("xl:", lambda command, _: command_log.append(command), "", "db1", "")
    yield host
    host.close()


@pytest.fixture
def shared(one):
    one.facts()
    one.add_guest()
    one.boot()
    return one


def read_all(host):
    return {each: host.read(each) for each in ROLES}


def write_all(host, params):
    for each, wanted in params.items():
        host.write(each, wanted)
        assert host.read(each) == wanted


def test_second_guest_is_among_the_facts_and_no_stranger_there_any_more(one):
    before = one.facts()
    assert (before.second_guest.runs, before.second_guest.names) == (True, ("db2",))
    assert any("'db2' may run on the same CPU" in finding.text for finding in before.findings)
    one.add_guest("db2")
    facts = one.facts()
    assert [(each.id, each.name, each.uuid) for each in facts.domains][1:] == [
        (GUEST, "db1", GUEST_UUID),
        (GUEST_2, "db2", SECOND_UUID),
    ]
    assert "Domain-0, db1 and db2 share CPU 0" in facts.title
    assert not any("db2" in finding.text for finding in facts.findings if finding.level is not Severity.INFO)
    assert "Domain-0, db1 and db2 run here" in facts.verified_properties[0].value


@pytest.mark.parametrize(("text", "mode"), [("1:2:3", Mode.WEIGHTS), ("3:2:7", Mode.CAPS)])
def test_what_is_announced_is_done_reads_back_and_goes_with_the_guard(shared, double, command_log, guard, text, mode):
    before, originals, facts = double.parameters(), read_all(shared), shared.facts()
    params = (
        find_share_model(facts.scheduler, build_host_machine(facts))
        .encode(parse_split(text, count=3), mode, 20_000)
        .params
    )
    for each, wanted in params.items():
        announced = shared.commands(each, wanted)
        command_log.clear()
        shared.write(each, wanted)
        assert (tuple(command_log), shared.read(each)) == (announced, wanted)
    assert [weight for weight, _ in weights(double)] == [each.weight for each in params.values()]
    restore_originals(shared, {each: originals[each] for each in (IO, GUEST)})
    assert guard().state == "armed"
    restore_originals(shared, originals)
    assert (guard().state, double.parameters()) == ("none", before)
    write_all(shared, WANTED)  # as after a pause
    assert guard().state == "armed"
    restore_originals(shared, originals)
    assert double.parameters() == before


def test_guard_knows_the_way_back_of_all_three_before_the_first_write(shared, tmp_path):
    script = (tmp_path / "run/sweep/restore.sh").read_text()
    lines = [line for line in script.splitlines() if line.startswith("put ")]
    assert [line.split()[1] for line in lines] == ["dom0", GUEST_UUID, SECOND_UUID]
    assert all(line.endswith("sched-credit2 -d @ -w 256 -c 0") for line in lines)
    with pytest.raises(HostError, match="armed already, without guest-2-place"):
        shared.guard.guard_slot(PLACE_SLOTS[GUEST_2])


def test_study_s_setting_is_set_through_the_lease_and_leaves_nothing(shared, double, tmp_path):
    before, facts = double.parameters(), shared.facts()
    factor_model = find_share_model(facts.scheduler, build_host_machine(facts))
    with HostLease(shared, tmp_path / "journal", "xen-1", "xl:", lambda _: shared, GUESTS_SCOPE) as lease:
        factor = SplitFactor(lease, factor_model, Mode.CAPS, 20_000)
        force = factor.set(GuestsSetting(parse_split("4:1:1", count=3), Mode.CAPS, LoadedGuests.BOTH))
        assert force.configured == pytest.approx({IO: 0.64, GUEST: 0.16, GUEST_2: 0.16})
        (record,) = (tmp_path / "journal").glob("*.json")
        undo = msgspec.json.decode(record.read_bytes())["undo"]
        assert list(undo["originals"]) == list(ROLES)
        assert "setup" not in undo["context"]  # who knows of two only must not take the third one's for the second's
        factor.confirm()
        assert set(factor.set(None).params.values()) == {FOUND}
        factor.set(GuestsSetting(parse_split("1:1:2", count=3), Mode.WEIGHTS, LoadedGuests.FIRST))
        assert [weight for weight, _ in weights(double)] == [192, 192, 384]
    assert double.parameters() == before


DIES = """
import json, sys
from scheduler.hosts.remote import guard_session
from scheduler.hosts.xen import host_survey
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.scheduler_params import Credit2Params
host_survey.LOOK_S, guard_session.TTL_S = 0.1, int(sys.argv[1])
host = open_host("xl:", lambda *_: None, "", "db1", "")
host.facts()
host.add_guest("db2")
context = dict(host.context())
host.boot()
for number, domain in enumerate(("io", "guest", "guest-2")):
    host.write(domain, Credit2Params(weight=700 + number, cap_pct=30))
print(json.dumps(context), flush=True)
sys.stdin.read()
"""
CHANGED = [(700, 30), (701, 30), (702, 30)]


def killed_study(ttl_s):
    """Return the context of a study that was killed with three domains set."""
    words = [sys.executable, "-c", DIES, str(ttl_s)]
    with subprocess.Popen(words, cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        context = json.loads(child.stdout.readline())
        os.kill(child.pid, signal.SIGKILL)
    return context


def test_guard_puts_all_three_back_when_the_heartbeat_dies(double, guard):
    before = double.parameters()
    killed_study(ttl_s=4)
    assert weights(double) == CHANGED
    until(lambda: double.parameters() == before, time.monotonic() + MOST_S, "the guard has not put all three back")
    until(lambda: guard().state == "restored", time.monotonic() + MOST_S, "the guard does not say so")


def test_another_process_puts_all_three_back_after_a_kill(double, guard):
    before = double.parameters()
    context = killed_study(ttl_s=60)
    assert (weights(double), guard().state) == (CHANGED, "armed")
    for _ in range(2):  # a restore may itself be killed and repeated
        restore_elsewhere("xl:", context, dict.fromkeys(ROLES, FOUND))
        assert (double.parameters(), guard().state) == (before, "none")


def test_host_that_is_taken_again_is_as_it_was_found(shared, double):
    before = double.parameters()
    write_all(shared, WANTED)
    shared.guard.rearm_guard()
    assert double.parameters() == before
    write_all(shared, WANTED)
    restore_originals(shared, dict.fromkeys(ROLES, FOUND))
    assert double.parameters() == before


def test_all_three_are_counted_and_one_that_restarts_or_ends_stops_the_study(shared, double):
    first = shared.usage()
    assert set(first) == set(ROLES)
    until(
        lambda: all(shared.usage()[each].user_s > first[each].user_s for each in ROLES),
        time.monotonic() + MOST_S,
        "not all three are counted",
    )
    write_all(shared, WANTED)
    double.restart_guest()  # the last one
    with pytest.raises(DomainGone, match=r"db2 was restarted \(number 2 became 6\)"):
        until_gone(shared)
    restore_originals(shared, dict.fromkeys(ROLES, FOUND))
    assert weights(double) == [(256, 0)] * 3
    shared.write(GUEST, WANTED[GUEST])
    double.end_guest()
    with pytest.raises(DomainGone, match="db2 has ended"):
        until_gone(shared)
    assert shared.read(GUEST_2) is None
    restore_originals(shared, dict.fromkeys(ROLES, FOUND))
    assert weights(double) == [(256, 0)] * 2


def test_libvirt_sets_the_second_guest_and_xl_puts_it_back(double):
    host = open_host("xen:///system", lambda *_: None, "", "db1", "")
    host.facts()
    host.add_guest()
    host.boot()
    write_all(host, WANTED)
    assert double.load()["by_libvirt"] == len(ROLES)
    restore_originals(host, dict.fromkeys(ROLES, FOUND))
    assert (double.load()["by_libvirt"], weights(double)) == (len(ROLES), [(256, 0)] * 3)
    host.close()
    with double.changing() as state:
        state["unknown_to_libvirt"] = ["db2"]
    host = open_host("xen:///system", lambda *_: None, "", "db1", "")
    with pytest.raises(HostNotUsable, match="libvirt does not know 'db2'"):
        host.add_guest()
    host.close()


def refused(host, plan, error, words):
    with pytest.raises(error, match=words) as refusal:
        meet_host(parse_plan(plan), host, host.facts())
    assert refusal.value.hint
    return refusal.value


def test_second_guest_that_cannot_be_it_is_refused_with_what_would_do(double, one, guard):
    assert refused(one, PLAN.replace("second_database", "# "), SpecError, "second guest's database is not named")
    for name, words in (("db9", "no domain 'db9' runs there"), (GUEST_UUID, "'db1' cannot also be the second guest")):
        assert refused(one, PLAN.replace('"db1"', f'"db1"\nguest_2 = "{name}"'), HostNotUsable, words)
    assert refused(one, PLAN.replace('"db1"', '"db1"\nguest_2 = "Domain-0"'), HostNotUsable, "'Domain-0' cannot also")
    for row, words in (
        (domain(3, "db3", f"8{GUEST_UUID[1:]}"), "2 guests could be the second"),
        (None, "no guest runs"),
    ):
        with double.changing() as state:
            state["domains"] = three(row) if row else three()[:2]
        host = open_host("xl:", lambda *_: None, "", "db1", "")
        error = refused(host, PLAN, HostNotUsable if row else SpecError, words)
        assert error.choices == (("db2", "db3") if row else ())
        host.close()
    with pytest.raises(ParameterRefused, match="neither creates nor ends"):
        one.write(IO, None)
    with pytest.raises(HostError, match="no second guest in this sweep"):
        one.read(GUEST_2)
    assert guard().state == "none"


def test_second_guest_without_an_identity_is_not_taken(double, one):
    with double.changing() as state:
        state["domains"][2]["uuid"] = NO_UUID
    with pytest.raises(HostNotUsable, match=r"'db2' .* has no UUID"):
        one.add_guest()


def test_plan_is_taken_as_it_is_and_its_rounding_reported(one):
    spec = parse_plan(PLAN.replace("study", 'splits = ["8:1:1"]\nmodes = ["caps"]\nstudy'))
    met = meet_host(spec, one, one.facts())
    assert [each.id for each in met.facts.domains] == list(ROLES)
    off, total = met.split_warnings
    assert "8:1:1 caps is 1.4 % off by rounding" in off
    assert "hands out 91 % of the CPU" in total
