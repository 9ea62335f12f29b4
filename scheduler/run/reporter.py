"""What a run says about itself: its state, its notices, its last word."""

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
    """Turns what happens into documents.

    Args:
        emit: Takes every document; raises StoreError when it cannot be kept.
        clock: The engine's clock.
        began_s: When the run's time began, on that clock.
    """

    def __init__(self, emit: Callable[[Document], None], clock: Clock, began_s: float) -> None:
        self.emit = emit
        self._clock = clock
        self.began_s = began_s
        self._state = RunState.PREPARING

    def now(self) -> float:
        """Return the run's time in seconds."""
        return self._clock.now() - self.began_s

    def enter_state(self, state: RunState, text: str = "") -> None:
        """Move to a state, by the table; moving to where we are says nothing."""
        if state == self._state:
            return
        if state not in _ALLOWED_STATES[self._state]:
            raise AssertionError(f"a run cannot go from {self._state} to {state}")
        self._state = state
        self.report_activity(text)

    def report_activity(self, text: str) -> None:
        """Say what the run is doing."""
        self._emit_safely(StateChanged(t_s=self.now(), state=self._state, text=text))

    def add_notice(self, level: Severity, text: str, hint: str = "") -> None:
        """Tell people something that they should know."""
        self._emit_safely(Notice(t_s=self.now(), level=level, text=text, hint=hint))

    def close(self, outcome: RunOutcome, reason: str, *, restored: bool, busy: bool = False) -> None:
        """Say the last word; of a host that another sweep holds nobody can say here how it reads."""
        self.enter_state(RunState.CLOSED)
        known = restored and not busy
        self._emit_safely(RunStopped(t_s=self.now(), outcome=outcome, restored=known, reason=reason, busy=busy))

    def _emit_safely(self, document: Document) -> None:
        """Emit where nothing may stop us: on the way out a full disk is noted in the log only."""
        try:
            self.emit(document)
        except SchedulerError as error:
            log.warning("%s could not be kept: %s", type(document).__name__, error)
