"""A whole sweep of a doubled Xen host under whose guard a split cannot be held; only toolstack and load are made up."""

import os
import signal

import msgspec
import pytest

from scheduler.commands.restoring import reopen
from scheduler.errors import HostError
from scheduler.hosts.remote.guard_state import fire, look
from scheduler.hosts.remote.guard_words import Words
from scheduler.hosts.remote.local_shell import LocalShell
from scheduler.loads.fake import FakeLoads
from scheduler.model.documents import Outcome, RunStopped, VisitDone, VisitStarted
from scheduler.model.load import LoadSpec
from scheduler.model.params import Credit2Params
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.setting import label_of, split_setting
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, IO
from scheduler.plans.choice import plan_for
from scheduler.run.control import Control, MonotonicClock
from scheduler.run.engine import Engine
from scheduler.run.factor import SplitFactor
from scheduler.run.journal import armed
from scheduler.run.lease import Lease
from scheduler.run.monitor import Monitor
from scheduler.run.parts import Parts
from scheduler.shares.registry import model_of
from tests.guard_world import NO_SYSTEMD

STARVING = "1:10"
WRITTEN = {IO: Credit2Params(weight=300), GUEST: Credit2Params(weight=400)}
TTL_S = 8  # too slow is 3.6 s, and then there are as many to leave in
BRIEF = msgspec.structs.replace(PROTOCOLS["grid"], repeats=1, measure_s=1, settle_s=0, load_settle_s=0)


@pytest.fixture(autouse=True)
def short(double, monkeypatch):
    """A short time limit, and a guard that nobody starts anew."""
    monkeypatch.setattr("scheduler.hosts.remote.guarding.TTL_S", TTL_S)
    (double.sbin / "systemd-run").write_text(NO_SYSTEMD)
    (double.sbin / "systemd-run").chmod(0o755)


class Sweep:
    """Two splits under one load; `meanwhile` is told every document."""

    def __init__(self, host, folder, meanwhile):
        self.folder, self.documents, self.records = folder, [], []
        self._meanwhile = meanwhile
        facts, clock = host.facts(), MonotonicClock()
        spec = RunSpec(
            host_url="xl:",
            settings=(split_setting(STARVING), split_setting("1:2")),
            loads=(LoadSpec("osdb-ir"),),
            protocol=BRIEF,
        )
        lease = Lease(host, folder, facts.host_id, "xl:", reopen)
        parts = Parts(
            host=host,
            lease=lease,
            open_loads=lambda: FakeLoads(lambda domain: 0.5, clock.now),
            factor=SplitFactor(lease, model_of(facts), spec.mode, spec.period_us),
            monitor=Monitor(host, 1),
            control=Control(clock),
            emit=self.take,
            began_s=clock.now(),
            hold=True,
        )
        self.outcome = Engine(parts).run(_long(plan_for(spec)))

    def take(self, document):
        self.documents.append(document)
        self.records.append([path.read_bytes() for path in armed(self.folder)])
        self._meanwhile(document)

    @property
    def visits(self):
        return [document for document in self.documents if isinstance(document, VisitDone)]


def _long(plan):
    """Make the stay at the starving split as long as its guard needs to be missed."""
    visit = next(plan)
    while True:
        starving = label_of(visit.setting) == STARVING
        dones = yield msgspec.structs.replace(visit, measure_s=20) if starving else visit
        try:
            visit = plan.send(dones)
        except StopIteration:
            return


def at(kind, document):
    return isinstance(document, kind) and label_of(document.setting) == STARVING


def assert_went_on(sweep, double, found):
    stopped = sweep.documents[-1]
    assert isinstance(stopped, RunStopped)
    assert (sweep.outcome, stopped.restored) == (Outcome.COMPLETED, True), stopped.reason
    assert [label_of(done.setting) for done in sweep.visits if not done.held] == [STARVING]
    assert sum(done.held and done.valid for done in sweep.visits) == 2  # 1:2 and the original settings
    assert double.parameters() == found
    assert armed(sweep.folder) == []


def test_that_a_split_that_starves_the_guard_is_left_before_it_fires(double, host, tmp_path):
    found, stopped = double.parameters(), []

    def starve(document):
        if at(VisitStarted, document):
            stopped.append(int((tmp_path / "run" / "sweep" / "pid").read_text()))
            os.kill(stopped[0], signal.SIGSTOP)
        if at(VisitDone, document):
            assert double.parameters() == found
            os.kill(stopped[0], signal.SIGCONT)

    sweep = Sweep(host, tmp_path / "journal", starve)
    assert_went_on(sweep, double, found)
    (left,) = [done for done in sweep.visits if not done.held]
    assert "no heartbeat was answered for" in left.reason
    assert left.seconds > 0
    assert "new guard" not in left.reason  # the first one was there to the end


def fire_from_outside(run_folder):
    """Have the guard put back what it guards, as another program would."""
    shell = LocalShell()
    words = Words(shell, str(run_folder))
    assert fire(words, look(words).token)
    shell.close()


def test_that_a_guard_that_fires_in_a_visit_is_armed_anew_and_the_sweep_goes_on(double, host, tmp_path):
    found = double.parameters()

    def fires(document):
        if at(VisitStarted, document):
            fire_from_outside(tmp_path / "run")

    sweep = Sweep(host, tmp_path / "journal", fires)
    assert_went_on(sweep, double, found)
    (left,) = [done for done in sweep.visits if not done.held]
    assert "every original read back, and a new guard was armed" in left.reason
    first = next(at for at, records in enumerate(sweep.records) if records)
    due = sweep.records[first:-2]  # until it was put back at the end: the very same record
    assert due == [due[0]] * len(due)


def test_that_a_host_that_another_program_set_is_not_taken_again(double, host, tmp_path):
    found = double.parameters()

    def fires(document):
        if at(VisitStarted, document):
            fire_from_outside(tmp_path / "run")
            with double.changing() as state:
                state["domains"][0]["weight"] = 77

    sweep = Sweep(host, tmp_path / "journal", fires)
    assert sweep.outcome is Outcome.FAILED
    assert "is not taken again" in sweep.documents[-1].reason
    assert double.parameters() == found  # the way out put it back, by the record
    assert armed(sweep.folder) == []


def test_that_a_late_command_of_the_guard_before_is_refused(double, host, guard, tmp_path):
    host.boot()
    first = guard().token
    shell = LocalShell()
    words = Words(shell, str(tmp_path / "run"))
    for domain, params in WRITTEN.items():
        host.write(domain, params)
    assert fire(words, first)
    host.regain()
    assert guard().state == "armed"
    assert guard().token != first
    late = words.say("run", first, "20", str(double.sbin / "xl"), "sched-credit2", "-d", "0", "-w", "999")
    assert late.code == 90
    shell.close()
    assert host.read(IO) == Credit2Params(weight=256)


def test_that_a_host_is_regained_after_an_error_as_well(double, host, guard, tmp_path):
    host.boot()
    for domain, params in WRITTEN.items():
        host.write(domain, params)
    with double.changing() as state:
        guest = state["domains"].pop()
    with pytest.raises(HostError):  # its domain is gone: nothing is armed
        host.regain()
    assert guard().state != "armed"
    with double.changing() as state:
        state["domains"].append(guest)
    host.regain()
    assert guard().state == "armed"
    assert [host.read(domain) for domain in (IO, GUEST)] == [Credit2Params(weight=256)] * 2
