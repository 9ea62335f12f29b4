"""Sweep engine: it runs the trials of a plan and restores the host.

The engine emits documents, uses one thread, waits in one place, and ends in one way.
"""

import itertools
from collections.abc import Sequence

import msgspec

from scheduler.errors import (
    CheckFailed,
    ClientLost,
    DatabaseUnreachable,
    HostBusy,
    HostError,
    LoadDied,
    LoadError,
    PlacementChanged,
    RestoreFailed,
    SchedulerError,
)
from scheduler.model.databases import POOLER, POOLER_SENTENCE
from scheduler.model.documents import LoadChecked, LoadsReady, RunOutcome, RunState, SettlingCause, TrialDone
from scheduler.model.host_properties import Severity
from scheduler.model.member import Member, load_names, member_label
from scheduler.model.number_texts import format_percent
from scheduler.model.sentence_texts import load_title, member_title
from scheduler.model.setting import VcpusSetting, is_host_changed, label_of
from scheduler.model.studies import Setting
from scheduler.plans.trials import Plan, PlannedTrial, TrialResults
from scheduler.run.control import AbortRequested, PauseRequested
from scheduler.run.engine_parts import EngineParts
from scheduler.run.load_set import LoadSet
from scheduler.run.reporter import RunReporter
from scheduler.run.time_gaps import GapFound, TimeGap
from scheduler.run.trial import TrialRun
from scheduler.run.unresponsive import MOST_IN_A_ROW, UnresponsiveRecovery
from scheduler.translation import _
from scheduler.waiting import abortable

# Above this share of its CPUs, the load generator limits the result, not the host.
_CLIENT_LIMIT_FRAC = 0.8
_MOST_GAPS = 3  # attempts at one trial that gaps in time ended, before the trial is excluded
_GAP_ERRORS = (GapFound, HostError, LoadDied, ClientLost, DatabaseUnreachable)  # what a gap in time can cause


class SweepEngine:
    """Engine that runs a plan and restores the host.

    Args:
        parts: The parts of the engine.
        known: Results of an earlier, unfinished run, which are reused instead of measured again.
    """

    def __init__(self, parts: EngineParts, known: Sequence[TrialDone] = ()) -> None:
        self._parts = parts
        self._known = list(known)
        self._report = RunReporter(parts.emit, parts.control.clock, parts.began_s)
        self._leaving = UnresponsiveRecovery(parts.host, parts.lease, parts.factor, parts.control)
        self._loads: LoadSet | None = None
        self._fresh = False  # True until the running load was measured once
        self._last: tuple[Setting | None, tuple[str, ...]] | None = None  # setting and mix of the previous trial
        self._warned: set[str] = set()
        self._changed = 0  # trials in a row in which another program placed a domain
        self.error: SchedulerError | None = None  # error that ended the run, for the caller's exit code

    def run(self, plan: Plan) -> RunOutcome:
        """Run the plan until it ends, is aborted or fails; restore the host in every case."""
        outcome, reason = RunOutcome.FAILED, _("stopped by a bug; see the log")
        try:
            with self._parts.lease:  # the lease restores the host at its end
                try:
                    with abortable(self._parts.control.check_abort):
                        self._run_trials(plan, self._start_host())
                except SchedulerError as error:
                    self._give_way_to_abort(error)
                    raise
                finally:
                    self._end_all_loads()
                    self._report.report_activity(_("restoring the host"))
            outcome, reason = RunOutcome.COMPLETED, ""
        except AbortRequested as request:
            outcome, reason = RunOutcome.ABORTED, str(request)
        except SchedulerError as error:
            outcome = RunOutcome.ABORTED if isinstance(error.__context__, AbortRequested) else RunOutcome.FAILED
            trouble = self._parts.host.failure_details()
            self.error, reason = error, f"{_error_with_cause(error)}\n{trouble}".rstrip()
            self._report.add_notice(Severity.ERROR, _error_with_cause(error), f"{error.hint}\n{trouble}".strip())
        finally:
            plan.close()
            self._warn_of_host()
            self._parts.host.close()
            lease = self._parts.lease
            busy = isinstance(self.error, HostBusy) and not (lease.touched or lease.pending)
            self._report.close(outcome, reason, restored=not lease.pending, busy=busy)
        return outcome

    def _end_all_loads(self) -> None:
        """End the loads, and report the wait: on a starved host, statements take long."""
        runs = self._loads is not None and self._loads.members
        waits = _("waiting for the users' statements to end") if runs else _("ending the loads")
        self._report.enter_state(RunState.RESTORING, waits)
        if self._loads is not None:
            self._loads.close()

    def _give_way_to_abort(self, error: SchedulerError) -> None:
        """Raise AbortRequested when the user asked for an abort; keep `error` as a notice."""
        try:
            self._parts.control.check_abort()
        except AbortRequested as request:
            self._report.add_notice(
                Severity.WARNING, _("met while the sweep was aborted: {error}").format(error=error), error.hint
            )
            raise request from error

    def _start_host(self) -> LoadSet:
        """Start the domains and check the loads; write no parameter yet."""
        self._report.report_activity(_("starting the domains"))
        self._parts.host.boot()
        self._parts.control.check_abort()
        loads = self._parts.open_loads()
        self._loads = LoadSet(loads)
        versions = loads.preflight()
        if any(name.endswith(POOLER) for name in versions):
            self._report.add_notice(Severity.WARNING, POOLER_SENTENCE)
        self._parts.emit(LoadsReady(t_s=self._report.now(), versions=versions, differences=loads.differences()))
        return self._loads

    def _run_trials(self, plan: Plan, loads: LoadSet) -> None:
        index, trial = 0, next(plan, None)
        while trial is not None:
            try:
                dones = self._reuse_results(index, trial) or self._run_trial(index, trial, loads)
            except PauseRequested:
                self._pause_run(loads)
                continue  # repeat the trial from its start
            for done in dones:
                self._parts.emit(done)
            self._warn_of_host()
            index += 1
            try:
                trial = plan.send(dones)
            except StopIteration:
                break
            if trial.remark:
                self._report.add_notice(Severity.INFO, trial.remark)
        self._end_load(loads)

    def _reuse_results(self, index: int, trial: PlannedTrial) -> TrialResults:
        """Return an earlier run's results of a trial.

        The result is empty unless each member has a valid one.
        """
        found: list[TrialDone] = []
        for member in trial.members:
            wanted = trial.setting, (member.load, member.guest), trial.block
            fit = (done for done in self._known if (done.setting, done.member, done.block) == wanted and done.valid)
            found.extend(itertools.islice(fit, 1))
        if len(found) < len(trial.members):
            return ()
        self._known = [done for done in self._known if not any(done is each for each in found)]
        now_s = self._report.now()
        return tuple(msgspec.structs.replace(done, t_s=now_s, trial=index, stalled_at_s=()) for done in found)

    def _run_trial(self, index: int, trial: PlannedTrial, loads: LoadSet) -> TrialResults:
        """Run a trial; run it again after a gap in time, or exclude it after several gaps."""
        gaps, users_lost = tuple[TimeGap, ...](), False
        while True:
            try:
                dones = self._attempt_trial(index, trial, loads)
            except _GAP_ERRORS as error:
                gap = self._parts.control.take_gap()
                if gap is None:  # a database may close the connections some time after the gap
                    if not gaps or users_lost or not isinstance(error, LoadError):
                        raise
                    users_lost = True
                else:
                    gaps = (*gaps, gap)
                    self._report_gap(gap, index, excluded=len(gaps) > _MOST_GAPS)
                self._recover_after_gap(error, loads)
            else:
                remarks = [gap.remark for gap in gaps]
                return tuple(_with_remarks(done, remarks) for done in dones)
            if len(gaps) > _MOST_GAPS:
                stay = TrialRun(self._parts, self._report, index, trial, SettlingCause.NONE)
                return stay.discarded_results(gaps[-1].text)

    def _report_gap(self, gap: TimeGap, index: int, *, excluded: bool) -> None:
        number = index + 1
        hint = _("Trial {number} is measured again: no second around the gap is used.").format(number=number)
        if excluded:
            hint = _("Trial {number} is excluded after {most_gaps} gaps. Keep the computer awake.").format(
                number=number, most_gaps=_MOST_GAPS + 1
            )
        self._report.add_notice(Severity.WARNING, gap.sentence, hint)

    def _recover_after_gap(self, error: Exception, loads: LoadSet) -> None:
        """Take the host and the users again after a gap in time.

        Args:
            error: What ended the trial.
            loads: The loads; those that did not survive the gap are started again.

        Raises:
            HostError: The host cannot be taken.
        """
        self._last = None
        try:
            if isinstance(error, LoadError):
                raise error
            loads.park()
        except LoadError as lost:
            self._drop_lost_load(lost)
        self._leaving.retake_after_gap()

    def _attempt_trial(self, index: int, trial: PlannedTrial, loads: LoadSet) -> TrialResults:
        self._parts.control.check()
        self._report.enter_state(RunState.RUNNING)
        change = self._classify_change(trial, loads)
        stay = TrialRun(self._parts, self._report, index, trial, change)
        try:
            trial = self._ensure_load(trial, loads)
            stay = TrialRun(self._parts, self._report, index, trial, change)
            return self._measure_or_leave(stay, loads)
        except ClientLost as lost:
            if self._parts.control.has_gap:
                raise
            self._drop_lost_load(lost)  # the next trial starts the load again
            return stay.discarded_results(str(lost))

    def _ensure_load(self, trial: PlannedTrial, loads: LoadSet) -> PlannedTrial:
        """Start the load of a trial; return the trial with the settling time it needs."""
        if trial.restart:
            self._restart_database(loads)
        if trial.members != loads.members:
            self._switch_load(trial, loads)
        if self._fresh:  # the earlier trial under this load was reused, so the load must settle now
            trial = msgspec.structs.replace(trial, settle_s=max(trial.settle_s, trial.load_settle_s))
        self._park_if_needed(loads)
        return trial

    def _measure_or_leave(self, stay: TrialRun, loads: LoadSet) -> TrialResults:
        try:
            return self._measure_trial(stay, loads)
        except HostError as error:
            if self._parts.control.has_gap:  # the split is not to blame
                raise
            try:
                return self._leave_split(stay, error, loads)
            except PlacementChanged as changed:  # not by the guard
                return self._discard_trial(stay, changed)

    def _discard_trial(self, stay: TrialRun, changed: PlacementChanged) -> TrialResults:
        """Discard a trial in which another program placed a domain.

        Raises:
            PlacementChanged: Several trials in a row were discarded for that reason.
        """
        self._changed += 1
        if self._changed > MOST_IN_A_ROW:
            raise changed
        self._report.add_notice(Severity.WARNING, str(changed), changed.hint)
        return stay.discarded_results(str(changed))

    def _drop_lost_load(self, lost: LoadError) -> None:
        ran = self._loads is not None and self._loads.members
        if self._loads is not None:
            self._loads.forget()
        unchecked = _("The work of its users is not checked against the database.") if ran else ""
        self._report.add_notice(Severity.WARNING, str(lost), f"{lost.hint} {unchecked}".strip())

    def _measure_trial(self, stay: TrialRun, loads: LoadSet) -> TrialResults:
        stay.apply_setting()
        loads.unpark()
        stay.announce_start()
        stay.measure(loads, self._leaving.unresponsive_reason)
        self._park_if_needed(loads)
        self._parts.factor.confirm()
        self._changed = 0
        self._leaving.note_trial_end()
        self._fresh = False
        loads.note_trial_end()
        dones = stay.build_results()
        for done in dones:
            self._warn_of_client(done)
        return dones

    def _leave_split(self, stay: TrialRun, error: HostError, loads: LoadSet) -> TrialResults:
        """Restore the host after a split under which it became unresponsive.

        Raises:
            HostError: `error`, when another cause ended the trial.
        """
        if not is_host_changed(stay.setting):  # the baseline cannot be left
            raise error
        self._park_users(loads)
        dones = stay.unresponsive_results(self._leaving.leave_split(error))
        self._report.add_notice(
            Severity.WARNING,
            "\n".join(
                _("{label_of} under {title_of} {reason}").format(
                    label_of=label_of(done.setting), title_of=_title_of(done), reason=done.reason
                )
                for done in dones
            ),
            _("This split is not measured again and not recommended. Check for other programs on that host."),
        )
        return dones

    def _classify_change(self, trial: PlannedTrial, loads: LoadSet) -> SettlingCause:
        """Return the kind of change that begins with this trial."""
        before, self._last = self._last, (trial.setting, trial.mix)
        if before is None or (before == self._last and not trial.restart):
            return SettlingCause.NONE
        if trial.restart:
            return SettlingCause.COLD
        if self._fresh or not _differ_in_users_only(trial.members, loads.members):
            return SettlingCause.LOAD
        if trial.members != loads.members:
            return SettlingCause.USERS
        return SettlingCause.VCPUS if VcpusSetting in map(type, (before[0], trial.setting)) else SettlingCause.SPLIT

    def _park_users(self, loads: LoadSet) -> None:
        """Park the users; a lost client must not prevent the restore."""
        try:
            loads.park()
        except ClientLost as lost:
            self._drop_lost_load(lost)

    def _warn_of_host(self) -> None:
        """Report each warning of the host once; the warnings are kept with the results."""
        for text in self._parts.host.warnings():
            if text not in self._warned:
                self._warned.add(text)
                self._report.add_notice(Severity.WARNING, text)

    def _park_if_needed(self, loads: LoadSet) -> None:
        """Park the users when their work would delay commands to the host."""
        if self._parts.hold:
            loads.park()

    def _switch_load(self, trial: PlannedTrial, loads: LoadSet) -> None:
        """End one load and begin another, or the same load with other users.

        The host has its original settings meanwhile.
        """
        other = trial.mix != load_names(loads.members)
        self._end_load(loads)
        self._parts.factor.set(None)
        self._report.report_activity(_("preparing {load}").format(load=load_title(trial.load)))
        loads.begin(trial.members)
        self._fresh = other

    def _restart_database(self, loads: LoadSet) -> None:
        """End the load and restart the database.

        Raises:
            HostError: The database cannot be restarted.
        """
        self._end_load(loads)
        self._report.report_activity(_("restarting the database"))
        self._parts.host.restart_database()

    def _end_load(self, loads: LoadSet) -> None:
        """Stop the users and check their figures against the database.

        Raises:
            CheckFailed: The database does not agree with the figures.
        """
        if not loads.members:
            return
        self._parts.factor.set(None)
        try:
            loads.unpark()
            checks = loads.stop()
        except ClientLost as lost:
            self._drop_lost_load(lost)
            return
        finally:
            loads.forget()
        for member, check in checks:
            self._parts.emit(
                LoadChecked(
                    t_s=self._report.now(),
                    load=member.load,
                    guest=member.guest,
                    passed=check.passed,
                    text=check.text,
                )
            )
        for member, check in checks:
            if not check.passed:
                text = f"{member_label(member.load, member.guest)}: {check.text}"
                raise CheckFailed(text, hint=_("Do other programs write to the same tables?"))

    def _pause_run(self, loads: LoadSet) -> None:
        """Restore the host, report the pause, and wait for `resume`."""
        self._park_users(loads)
        self._last = None
        self._parts.lease.restore_host()
        self._report.enter_state(RunState.PAUSED, _("the host is as it was found"))
        self._parts.control.wait_while_paused()
        self._report.enter_state(RunState.RUNNING)
        if loads.members:
            self._parts.factor.set(None)
            try:
                loads.unpark()
            except ClientLost as lost:
                self._drop_lost_load(lost)

    def _warn_of_client(self, done: TrialDone) -> None:
        frac = max(done.client_cpu_frac, done.clients_cpu_frac)
        if frac > _CLIENT_LIMIT_FRAC and _title_of(done) not in self._warned:
            self._warned.add(_title_of(done))
            self._report.add_notice(
                Severity.WARNING,
                _("the load generator is saturated: at {label_of} under {title_of} its CPU was {frac} busy").format(
                    label_of=label_of(done.setting), title_of=_title_of(done), frac=format_percent(frac)
                ),
                _("Give the clients more CPUs, or read this point as a lower bound."),
            )


def _with_remarks(done: TrialDone, remarks: Sequence[str]) -> TrialDone:
    """Return a result with remarks before its reason; unchanged without remarks."""
    return (
        msgspec.structs.replace(done, reason="; ".join((*remarks, *filter(None, (done.reason,))))) if remarks else done
    )


def _title_of(done: TrialDone) -> str:
    return member_title(done.load, done.guest)


def _differ_in_users_only(members: Sequence[Member], others: Sequence[Member]) -> bool:
    """Return True for the same loads and databases; the numbers of users may differ."""
    counted, compared = ([msgspec.structs.replace(each, users=1) for each in some] for some in (members, others))
    return counted == compared


def _error_with_cause(error: SchedulerError) -> str:
    """Return the error's text; after a failed restore, with the error before it."""
    before = error.__context__
    if not isinstance(error, RestoreFailed) or not isinstance(before, SchedulerError):
        return str(error)
    return _("{error}; before that: {before}").format(error=error, before=before)
