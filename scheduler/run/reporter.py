"""Run reporter: states, activities, notices and the end of a run."""

import logging
from collections.abc import Callable, Mapping

from scheduler.errors import SchedulerError
from scheduler.model.documents import Document, Notice, RunOutcome, RunState, RunStopped, StateChanged
from scheduler.model.host_properties import Severity
from scheduler.run.control import Clock

log = logging.getLogger(__name__)

_ALLOWED_STATES: Mapping[RunState, frozenset[RunState]] = {
    RunState.PREPARING: frozenset({RunState.RUNNING, RunState.PAUSED, RunState.RESTORING, RunState.CLOSED}),
    RunState.RUNNING: frozenset({RunState.PAUSED, RunState.RESTORING}),
    RunState.PAUSED: frozenset({RunState.RUNNING, RunState.RESTORING}),
    RunState.RESTORING: frozenset({RunState.CLOSED}),
    RunState.CLOSED: frozenset(),
}


class RunReporter:
    """Reporter that emits the events of a run as documents.

    Args:
        emit: Takes every document; raises StoreError when a document cannot be stored.
        clock: The engine's clock.
        began_s: Start of the run, seconds on that clock.
    """

    def __init__(self, emit: Callable[[Document], None], clock: Clock, began_s: float) -> None:
        self.emit = emit
        self._clock = clock
        self.began_s = began_s
        self._state = RunState.PREPARING

    def now(self) -> float:
        """Return the seconds since the run began."""
        return self._clock.now() - self.began_s

    def enter_state(self, state: RunState, text: str = "") -> None:
        """Enter a state that the table allows; do nothing in the current state.

        Args:
            state: The new state.
            text: Activity in the new state.
        """
        if state == self._state:
            return
        if state not in _ALLOWED_STATES[self._state]:
            raise AssertionError(f"a run cannot go from {self._state} to {state}")
        self._state = state
        self.report_activity(text)

    def report_activity(self, text: str) -> None:
        """Report the current activity of the run."""
        self._emit_safely(StateChanged(t_s=self.now(), state=self._state, text=text))

    def add_notice(self, level: Severity, text: str, hint: str = "") -> None:
        """Emit a notice for the user.

        Args:
            level: Severity.
            text: What happened, and why.
            hint: What to do; may be empty.
        """
        self._emit_safely(Notice(t_s=self.now(), level=level, text=text, hint=hint))

    def close(self, outcome: RunOutcome, reason: str, *, restored: bool, busy: bool = False) -> None:
        """Emit the end of the run.

        Args:
            outcome: Outcome of the run.
            reason: Cause of the end; empty for a completed run.
            restored: True when the host is restored and verified.
            busy: True when another process holds the host, so that its settings are not known here.
        """
        self.enter_state(RunState.CLOSED)
        known = restored and not busy
        self._emit_safely(RunStopped(t_s=self.now(), outcome=outcome, restored=known, reason=reason, busy=busy))

    def _emit_safely(self, document: Document) -> None:
        """Emit a document; only log a store error, since nothing may stop the way out."""
        try:
            self.emit(document)
        except SchedulerError as error:
            log.warning("%s could not be kept: %s", type(document).__name__, error)
