"""Other guests on the CPUs of a sweep: left or kept away, and restored on every way out; the programs are doubles."""

import pytest

from scheduler.errors import PlacementChanged, SpecError
from scheduler.hosts.xen.xen_host import open_host, reopen_host
from scheduler.model.placement import other_place
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.setting import parse_split_setting
from scheduler.run.factor import create_factor, lease_scope
from scheduler.run.lease import HostLease, restore_from_record
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.studies.study_meeting import meet_host
from tests.xen_double.standing import stand_up
from tests.xen_double.state import GUEST_UUID, NO_UUID, domain

WEB, MAIL = f"7{GUEST_UUID[1:]}", f"6{GUEST_UUID[1:]}"
PLAN = 'host = "xl:"\nmode = "dedicated"\n[domains]\nguest = "db1"\n[cpus]\nset = "{cpus}"\nothers = "{others}"\n'


def busy_domains():
    """Dom0 and db1 on all CPUs; mail on CPU 6 only, web1 with a pinned vCPU, a floating one, and a soft affinity."""
    dom0 = {**domain(0, "Domain-0", NO_UUID, offline=1), "online": 2}
    guest = {**domain(1, "db1", GUEST_UUID, offline=1), "online": 2}
    mail, web = domain(2, "mail", MAIL), {**domain(3, "web1", WEB, offline=2), "online": 2}
    mail["pins"] = {"hard": {0: "6"}, "soft": {}}
    web["pins"] = {"hard": {0: "1,5", 1: "2-3"}, "soft": {1: "2"}}
    return [dom0, guest, mail, web]


@pytest.fixture
def double(tmp_path, monkeypatch):
    return stand_up(tmp_path, monkeypatch, cpus=8, domains=busy_domains())


@pytest.fixture
def host(double):
    host = open_host("xl:", lambda *_: None, "", "db1", "")
    yield host
    host.close()


def meet(host, cpus="0-3", others="away"):
    return meet_host(parse_plan(PLAN.format(cpus=cpus, others=others)), host, host.facts())


class Sweep:
    """A lease and a factor of a dedicated sweep on CPU 0-3, off which web1 is kept."""

    def __init__(self, host, folder):
        spec, facts, *_ = meet(host)
        scope = lease_scope(spec, confined=facts.confined, away=facts.kept_away)
        self.folder = folder
        self.lease = HostLease(host, folder, "xen-1", "xl:", lambda _: host, scope)
        self.factor = create_factor(spec, self.lease, share_model_for_host(facts), facts.shared_cpus, facts.kept_away)
        self._host = host

    def begin(self, split="1:3"):
        self._host.boot()
        self.factor.set(parse_split_setting(split) if split else None)


@pytest.fixture
def sweep(host, tmp_path):
    return Sweep(host, tmp_path / "journal")


def masks(host, uuid=WEB):
    return host.read(other_place(uuid)).vcpus


def test_consent_names_the_load_of_each_guest_on_the_set_and_what_becomes_of_it(host):
    reported = {others: meet(host, others=others).facts.findings for others in ("leave", "away")}
    texts = {others: " ".join(each.text for each in findings) for others, findings in reported.items()}
    assert "(now Domain-0 on CPU 0-7 and db1 on CPU 0-7); web1 (" in texts["leave"]
    assert " CPUs) also runs there" in texts["leave"]
    assert " CPUs) is kept off these CPUs" in texts["away"]
    assert "'web1' may run" in texts["leave"]
    assert "may run on the same CPU" not in texts["away"]
    assert "mail" not in texts["away"]
    plan = parse_plan(PLAN.format(cpus="0-3", others="away"))
    assert parse_plan(write_plan(plan)) == plan


@pytest.mark.parametrize("split", ["1:3", ""], ids=["split", "baseline"])
def test_guest_is_kept_off_the_set_in_every_trial_and_restored(double, host, sweep, tmp_path, split):
    before = double.parameters()
    with sweep.lease:
        sweep.begin(split)
        assert f"put {WEB} {double.sbin}/xl vcpu-pin @ 1 2-3 2\n" in (tmp_path / "run/sweep/restore.sh").read_text()
        assert MAIL not in (tmp_path / "run/sweep/restore.sh").read_text()
        assert masks(host) == ((5,), (4, 5, 6, 7), (4, 5, 6, 7))
        assert host.read(other_place(WEB)).soft[1] == (2,)
        assert masks(host, MAIL) == ((6,),)
        sweep.factor.confirm()
    assert double.parameters() == before
    assert not list(sweep.folder.glob("*.undo*"))


def test_guard_of_a_dead_program_restores_the_other_guest(double, host, sweep):
    before = double.parameters()
    sweep.lease.__enter__()
    sweep.begin()
    assert masks(host) == ((5,), (4, 5, 6, 7), (4, 5, 6, 7))
    host.guard.rearm_guard()  # the old guard restores everything, and only then a new one is armed
    assert double.parameters() == before
    sweep.lease.restore_host()
    sweep.lease.__exit__()


def test_undo_record_restores_the_other_guest_without_the_program_that_wrote_it(double, host, sweep):
    before = double.parameters()
    texts = []
    sweep.lease.recorded = texts.append
    sweep.lease.__enter__()
    sweep.begin()
    journal = sweep.lease._journal
    undo = journal.read()
    assert other_place(WEB) in undo.originals
    assert other_place(MAIL) not in undo.originals
    assert MAIL not in undo.context["setup"]
    double.restart_guest()  # web1 has a new number
    restore_from_record(undo, journal, lambda record: reopen_host("xl:", record.context, lambda *_: None))
    after = double.parameters()
    assert after == before
    sweep.lease._originals.clear()
    sweep.lease.__exit__()


def test_other_guest_that_restarts_is_kept_away_again_and_one_that_ends_stops_no_sweep(double, host, sweep):
    before = double.parameters()
    with sweep.lease:
        sweep.begin()
        double.restart_guest()
        double.lose_pins(-1)
        with pytest.raises(PlacementChanged, match="another program placed the domain"):
            sweep.factor.confirm()
        sweep.factor.set(parse_split_setting("2:2"))
        assert masks(host) == ((5,), (4, 5, 6, 7), (4, 5, 6, 7))
        double.end_guest()
        sweep.factor.confirm()
        sweep.factor.set(parse_split_setting("3:1"))
        sweep.factor.confirm()
    assert double.parameters() == before[:-1]


def test_set_without_a_cpu_for_the_other_guest_and_a_set_that_confines_nothing_are_refused(double, host):
    before = double.parameters()
    for cpus, says in (
        ("0-7", "no CPU is left for mail, web1|no CPU is left for web1, mail"),
        ("as-found", "away needs a set"),
    ):
        with pytest.raises(SpecError, match=says) as refused:
            meet(host, cpus)
        assert refused.value.field == "cpus.others"
        assert refused.value.hint
    assert double.parameters() == before
