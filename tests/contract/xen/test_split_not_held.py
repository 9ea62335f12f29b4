"""A whole sweep of a doubled Xen host under whose guard a split cannot be held; only toolstack and load are made up."""

import os
import signal

import msgspec
import pytest

from scheduler.commands.pending_restores import reopen_recorded_host
from scheduler.errors import HostError
from scheduler.hosts.remote.guard_commands import GuardCommands
from scheduler.hosts.remote.guard_state import fire_guard, read_guard_state
from scheduler.hosts.remote.local_shell import LocalShell
from scheduler.loads.fake_loads import FakeLoadGenerators
from scheduler.model.documents import RunOutcome, RunStopped, TrialDone, TrialStarted
from scheduler.model.load import LoadSpec
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.scheduler_params import Credit2Params
from scheduler.model.setting import label_of, parse_split_setting
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, IO
from scheduler.plans.study_plan import choose_plan
from scheduler.run.control import MonotonicClock, RunControl
from scheduler.run.engine import SweepEngine
from scheduler.run.engine_parts import EngineParts
from scheduler.run.factor import SplitFactor
from scheduler.run.journal import list_pending_records
from scheduler.run.lease import HostLease
from scheduler.run.monitor import HostMonitor
from scheduler.shares.model_lookup import share_model_for_host
from tests.guard_world import NO_SYSTEMD

STARVING = "1:10"
WRITTEN = {IO: Credit2Params(weight=300), GUEST: Credit2Params(weight=400)}
TTL_S = 8  # too slow is 3.6 s, and then there are as many to leave in
BRIEF = msgspec.structs.replace(PROTOCOLS["grid"], repeats=1, measure_s=1, settle_s=0, load_settle_s=0)


@pytest.fixture(autouse=True)
def short(double, monkeypatch):
    """A short time limit, and a guard that nobody starts anew."""
    monkeypatch.setattr("scheduler.hosts.remote.guard_session.TTL_S", TTL_S)
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
            settings=(parse_split_setting(STARVING), parse_split_setting("1:2")),
            loads=(LoadSpec("osdb-ir"),),
            protocol=BRIEF,
        )
        lease = HostLease(host, folder, facts.host_id, "xl:", reopen_recorded_host)
        parts = EngineParts(
            host=host,
            lease=lease,
            open_loads=lambda: FakeLoadGenerators(lambda domain: 0.5, clock.now),
            factor=SplitFactor(lease, share_model_for_host(facts), spec.mode, spec.period_us),
            monitor=HostMonitor(host, 1),
            control=RunControl(clock),
            emit=self.take,
            began_s=clock.now(),
            hold=True,
        )
        self.outcome = SweepEngine(parts).run(_long(choose_plan(spec)))

    def take(self, document):
        self.documents.append(document)
        self.records.append([path.read_bytes() for path in list_pending_records(self.folder)])
        self._meanwhile(document)

    @property
    def trials(self):
        return [document for document in self.documents if isinstance(document, TrialDone)]


def _long(plan):
    """Make the stay at the starving split as long as its guard needs to be missed."""
    trial = next(plan)
    while True:
        starving = label_of(trial.setting) == STARVING
        dones = yield msgspec.structs.replace(trial, measure_s=20) if starving else trial
        try:
            trial = plan.send(dones)
        except StopIteration:
            return


def at(kind, document):
    return isinstance(document, kind) and label_of(document.setting) == STARVING


def assert_went_on(sweep, double, found):
    stopped = sweep.documents[-1]
    assert isinstance(stopped, RunStopped)
    assert (sweep.outcome, stopped.restored) == (RunOutcome.COMPLETED, True), stopped.reason
    assert [label_of(done.setting) for done in sweep.trials if not done.responsive] == [STARVING]
    assert sum(done.responsive and done.valid for done in sweep.trials) == 2  # 1:2 and the original settings
    assert double.parameters() == found
    assert list_pending_records(sweep.folder) == []


def test_split_that_starves_the_guard_is_left_before_it_fires(double, host, tmp_path):
    found, stopped = double.parameters(), []

    def starve(document):
        if at(TrialStarted, document):
            stopped.append(int((tmp_path / "run" / "sweep" / "pid").read_text()))
            os.kill(stopped[0], signal.SIGSTOP)
        if at(TrialDone, document):
            assert double.parameters() == found
            os.kill(stopped[0], signal.SIGCONT)

    sweep = Sweep(host, tmp_path / "journal", starve)
    assert_went_on(sweep, double, found)
    (left,) = [done for done in sweep.trials if not done.responsive]
    assert "no heartbeat was answered for" in left.reason
    assert left.seconds > 0
    assert "new guard" not in left.reason  # the first one was there to the end


def fire_from_outside(run_folder):
    """Have the guard put back what it guards, as another program would."""
    shell = LocalShell()
    words = GuardCommands(shell, str(run_folder))
    assert fire_guard(words, read_guard_state(words).token)
    shell.close()


def test_guard_that_fires_in_a_trial_is_armed_again_and_the_sweep_goes_on(double, host, tmp_path):
    found = double.parameters()

    def fires(document):
        if at(TrialStarted, document):
            fire_from_outside(tmp_path / "run")

    sweep = Sweep(host, tmp_path / "journal", fires)
    assert_went_on(sweep, double, found)
    (left,) = [done for done in sweep.trials if not done.responsive]
    assert "every original read back, and a new guard was armed" in left.reason
    first = next(at for at, records in enumerate(sweep.records) if records)
    due = sweep.records[first:-2]  # until it was put back at the end: the very same record
    assert due == [due[0]] * len(due)


def test_host_that_another_program_set_is_not_taken_again(double, host, tmp_path):
    found = double.parameters()

    def fires(document):
        if at(TrialStarted, document):
            fire_from_outside(tmp_path / "run")
            with double.changing() as state:
                state["domains"][0]["weight"] = 77

    sweep = Sweep(host, tmp_path / "journal", fires)
    assert sweep.outcome is RunOutcome.FAILED
    assert "does not set it again" in sweep.documents[-1].reason
    assert double.parameters() == found  # the way out put it back, by the record
    assert list_pending_records(sweep.folder) == []


def test_late_command_of_the_guard_before_is_refused(double, host, guard, tmp_path):
    host.boot()
    first = guard().token
    shell = LocalShell()
    words = GuardCommands(shell, str(tmp_path / "run"))
    for domain, params in WRITTEN.items():
        host.write(domain, params)
    assert fire_guard(words, first)
    host.guard.rearm_guard()
    assert guard().state == "armed"
    assert guard().token != first
    late = words.say("run", first, "20", str(double.sbin / "xl"), "sched-credit2", "-d", "0", "-w", "999")
    assert late.code == 90
    shell.close()
    assert host.read(IO) == Credit2Params(weight=256)


def test_host_is_regained_after_an_error_as_well(double, host, guard, tmp_path):
    host.boot()
    for domain, params in WRITTEN.items():
        host.write(domain, params)
    with double.changing() as state:
        guest = state["domains"].pop()
    with pytest.raises(HostError):  # its domain is gone: nothing is armed
        host.guard.rearm_guard()
    assert guard().state != "armed"
    with double.changing() as state:
        state["domains"].append(guest)
    host.guard.rearm_guard()
    assert guard().state == "armed"
    assert [host.read(domain) for domain in (IO, GUEST)] == [Credit2Params(weight=256)] * 2
