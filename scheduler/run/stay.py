"""One visit's stay: its setting is brought about, its seconds are collected, its figures are summed up."""

from collections.abc import Callable

from scheduler.errors import LoadDied, SplitNotHeld
from scheduler.loads.base import Loads
from scheduler.model.documents import Change, VisitDone, VisitStarted
from scheduler.model.setting import Setting, label_of, writes
from scheduler.model.words import load_title
from scheduler.plans.visits import Visit
from scheduler.run.factor import InForce
from scheduler.run.parts import Parts
from scheduler.run.reporter import Reporter
from scheduler.run.window import Window

# Users blocked in a starved statement report late; beyond this they are dead (their own grace is shorter).
_LATE_S = 15.0
# Seconds end on whole seconds of the clock; looking a little later finds the reports already there.
_AFTER_SECOND_S = 0.08


class Stay:
    """One stay at one setting under one load.

    Args:
        parts: What the engine works with.
        report: The run's word.
        index: Number of the visit.
        visit: The visit.
        change: What was changed before it.
    """

    def __init__(self, parts: Parts, report: Reporter, index: int, visit: Visit, change: Change) -> None:
        self._parts = parts
        self._report = report
        self._index = index
        self._visit = visit
        self._change = change
        self._force = InForce({}, {})
        self._window = self._new_window()

    @property
    def setting(self) -> Setting | None:
        """The setting; None for the host as found."""
        return self._visit.setting

    def begin(self) -> None:
        """Bring the setting about; raises SpecError, HostError."""
        self._force = self._parts.factor.set(self._visit.setting)

    def started(self) -> None:
        """Say that it is in force and the users work; its seconds count from now."""
        visit = self._visit
        self._parts.emit(
            VisitStarted(
                t_s=self._report.now(),
                visit=self._index,
                setting=visit.setting,
                load=visit.load,
                block=visit.block,
                settle_s=visit.settle_s,
                measure_s=visit.measure_s,
                configured_frac=self._force.configured,
                params=self._force.params,
            )
        )
        self._window = self._new_window()

    def measure(self, loads: Loads, overdue: Callable[[], str]) -> None:
        """Look once a second until every measured second has been reported.

        Args:
            loads: The load generators.
            overdue: Returns why the split must be left now; empty while it need not.

        Raises:
            SplitNotHeld: It must be left.
            LoadDied, HostError: What the users and the host say.
        """
        parts, clock, window = self._parts, self._parts.control.clock, self._window
        covered_s = clock.now()
        parts.monitor.restart(covered_s)
        while not window.complete:
            if clock.now() > window.end_second + _LATE_S:
                raise LoadDied(
                    f"the users of {self._visit.load} have not reported for {_LATE_S:g} s",
                    hint="Is the database still answering? Its log may say more.",
                )
            parts.control.wait(1.0 - clock.now() % 1.0 + _AFTER_SECOND_S)
            now_s = clock.now()
            sample = parts.monitor.sample(now_s, now_s - self._report.began_s, self._index, self._force.configured)
            parts.emit(sample)
            window.take_host(sample, covered_s)
            covered_s = now_s
            for second in loads.poll():
                parts.emit(window.take(second))
            self._leave_in_time(overdue)

    def done(self) -> VisitDone:
        """Return the figures of a whole stay."""
        return self._window.done(self._force, self._report.now(), self._parts.client_cpus)

    def left(self, why: str) -> VisitDone:
        """Return the figures of a stay that could not be held, as far as there are any."""
        return self._window.left(self._force, self._report.now(), self._parts.client_cpus, why)

    def void(self, why: str) -> VisitDone:
        """Return the figures of a stay whose clients were lost: none is used, whatever there is."""
        return self._window.void(self._force, self._report.now(), self._parts.client_cpus, why)

    def _leave_in_time(self, overdue: Callable[[], str]) -> None:
        if writes(self._visit.setting) and not self._window.complete and (why := overdue()):
            raise SplitNotHeld(
                why, hint=f"{label_of(self._visit.setting)} starves the host under {load_title(self._visit.load)}."
            )

    def _new_window(self) -> Window:
        now_s = self._parts.control.clock.now()
        unit = self._parts.units.get(self._visit.load, "")
        return Window(self._index, self._visit, now_s, self._report.began_s, self._change, unit=unit)
