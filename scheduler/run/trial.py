"""One trial: its setting, its seconds, and its figures."""

from collections.abc import Callable

import msgspec

from scheduler.errors import HostError, LoadDied, SplitUnresponsive
from scheduler.model.documents import SettlingCause, TrialStarted
from scheduler.model.member import Member, member_label
from scheduler.model.sentence_texts import load_title
from scheduler.model.setting import is_host_changed, label_of
from scheduler.model.studies import Setting
from scheduler.plans.trials import PlannedTrial, TrialResults
from scheduler.run.engine_parts import EngineParts
from scheduler.run.factor import AppliedSetting
from scheduler.run.load_set import LoadSet
from scheduler.run.reporter import RunReporter
from scheduler.run.time_gaps import GapFound
from scheduler.run.trial_window import TrialWindow
from scheduler.translation import _

# Users blocked in a starved statement report late; later than this, they are dead (their own grace is shorter).
_LATE_S = 15.0
# Seconds end on whole seconds of the clock; a little later, the reports have arrived.
_AFTER_SECOND_S = 0.08


class TrialRun:
    """One trial at one setting under one mix of loads.

    Args:
        parts: The parts of the engine.
        report: Reports the run.
        index: Number of the trial.
        trial: The planned trial.
        change: Change before the trial.
    """

    def __init__(
        self, parts: EngineParts, report: RunReporter, index: int, trial: PlannedTrial, change: SettlingCause
    ) -> None:
        self._parts = parts
        self._report = report
        self._index = index
        self._trial = trial
        self._change = change
        self._force = AppliedSetting({}, {})
        self._windows = self._new_windows()

    @property
    def setting(self) -> Setting | None:
        """The setting; None for the baseline."""
        return self._trial.setting

    def apply_setting(self) -> None:
        """Apply the setting.

        Raises:
            SpecError: The host cannot express the setting.
            HostError: A write failed.
        """
        self._force = self._parts.factor.set(self._trial.setting)

    def announce_start(self) -> None:
        """Report the start of the trial; its seconds count from now."""
        trial = self._trial
        self._parts.control.take_gap()  # a gap before the trial does not matter
        self._parts.emit(
            TrialStarted(
                t_s=self._report.now(),
                trial=self._index,
                setting=trial.setting,
                load=trial.load,
                mix=trial.mix if len(trial.mix) > 1 else (),
                block=trial.block,
                settle_s=trial.settle_s,
                measure_s=trial.measure_s,
                allotted_frac=self._force.configured,
                params=self._force.params,
            )
        )
        self._windows = self._new_windows()

    def measure(self, loads: LoadSet, overdue: Callable[[], str]) -> None:
        """Sample once a second until every measured second was reported.

        Args:
            loads: The loads that run.
            overdue: Returns the reason to leave the split now; empty without a reason.

        Raises:
            SplitUnresponsive: The split must be left.
            LoadDied: The users did not report in time, or a load ended.
            ClientLost: A client computer was lost.
            HostError: The host cannot be read.
            GapFound: The computer slept, or this process was stopped.
        """
        parts, clock = self._parts, self._parts.control.clock
        covered_s = clock.now()
        parts.monitor.restart(covered_s)
        while not self._is_complete:
            self._refuse_silence(clock.now())
            parts.control.wait(1.0 - clock.now() % 1.0 + _AFTER_SECOND_S)
            if parts.control.has_gap:
                raise GapFound
            now_s = clock.now()
            sample = parts.monitor.sample(now_s, now_s - self._report.began_s, self._index, self._force.configured)
            parts.emit(sample)
            for window in self._windows.values():
                window.take_host(sample, covered_s)
            covered_s = now_s
            for member, second in loads.poll():
                parts.emit(self._windows[member].take(second))
            self._leave_if_unresponsive(overdue)
            if loads.cold and not self._is_complete:
                covered_s = self._restart_cold(loads)

    def build_results(self) -> TrialResults:
        """Return the figures of a complete trial, one result for each member."""
        force, now_s, cpus = self._force, self._report.now(), self._parts.client_cpus
        dones = tuple(window.done(force, now_s, cpus) for window in self._windows.values())
        if len(dones) == 1:
            return dones
        clients_frac = sum(done.clients_cpu_frac for done in dones)  # the members share the clients' CPUs
        return tuple(msgspec.structs.replace(done, clients_cpu_frac=clients_frac) for done in dones)

    def unresponsive_results(self, why: str) -> TrialResults:
        """Return the partial figures of a trial under which the host became unresponsive."""
        force, now_s, cpus = self._force, self._report.now(), self._parts.client_cpus
        return tuple(window.left(force, now_s, cpus, why) for window in self._windows.values())

    def discarded_results(self, why: str) -> TrialResults:
        """Return discarded results, with the reason, of a trial whose clients were lost."""
        force, now_s, cpus = self._force, self._report.now(), self._parts.client_cpus
        return tuple(window.discarded_results(force, now_s, cpus, why) for window in self._windows.values())

    def _restart_cold(self, loads: LoadSet) -> float:
        """Restart the database with an empty cache.

        Return the time from which host samples count.
        """
        host, clock = self._parts.host, self._parts.control.clock
        try:
            kept_bytes = host.restart_database(cold=True)
        except HostError as error:
            raise LoadDied(
                _("the database was stopped, but did not restart: {error}").format(error=error), hint=error.hint
            ) from error
        now_s = clock.now()
        self._parts.monitor.restart(now_s)
        loads.cooled(kept_bytes)
        return now_s

    @property
    def _is_complete(self) -> bool:
        return all(window.complete for window in self._windows.values())

    def _refuse_silence(self, now_s: float) -> None:
        """Raise LoadDied when the users of a load did not report in time."""
        for member, window in self._windows.items():
            if not window.complete and now_s > window.end_second + _LATE_S:
                raise LoadDied(
                    _("the users of {member_label} have not reported for {late_s:g} s").format(
                        member_label=member_label(member.load, member.guest), late_s=_LATE_S
                    ),
                    hint=_("Is the database still answering? Its log may say more."),
                )

    def _leave_if_unresponsive(self, overdue: Callable[[], str]) -> None:
        if is_host_changed(self._trial.setting) and not self._is_complete and (why := overdue()):
            raise SplitUnresponsive(
                why,
                hint=_("{label_of} starves the host under {load}.").format(
                    label_of=label_of(self._trial.setting), load=load_title(self._trial.load)
                ),
            )

    def _new_windows(self) -> dict[Member, TrialWindow]:
        """Return one window for each member, all of the same seconds."""
        parts, trial, began_s = self._parts, self._trial, self._report.began_s
        now_s = parts.control.clock.now()
        return {
            member: TrialWindow(
                self._index, trial, now_s, began_s, self._change, (member, parts.units.get(member.load, ""))
            )
            for member in trial.members
        }
