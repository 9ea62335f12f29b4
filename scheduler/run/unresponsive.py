"""A split under which the host cannot be held: it is left in time, and the sweep goes on from the host as found.

The undo record is due all the while: nothing here writes, renames or removes it.
"""

import logging

from scheduler.errors import GuardFired, HostError, HostUnreachable, SplitUnresponsive, WriteNotVerified
from scheduler.hosts.protocols import Host, HostGuard
from scheduler.run.control import RunControl
from scheduler.run.factor import SweepFactor
from scheduler.run.lease import HostLease

log = logging.getLogger(__name__)

MOST_IN_A_ROW = 3
"""Trials in a row that cannot be held before the sweep ends: then it is not the splits."""

# A guard fires after a minute at most, and putting back takes a starved Dom0 another one.
_PATIENCE_S = 120.0
_AGAIN_S = 2.0


class UnresponsiveRecovery:
    """Leaves splits that cannot be held.

    Args:
        host: The host; without a guard nothing is ever left in this way.
        lease: The right to write to it.
        factor: What brings a setting about.
        control: Waiting.
    """

    def __init__(self, host: Host, lease: HostLease, factor: SweepFactor, control: RunControl) -> None:
        self._guard = host.guard
        self._lease = lease
        self._factor = factor
        self._control = control
        self._in_a_row = 0

    def unresponsive_reason(self) -> str:
        """Return why the split must be left now; empty while the host can be commanded. Asks the host nothing."""
        return self._guard.unresponsive_reason() if self._guard is not None else ""

    def note_trial_end(self) -> None:
        """Note that a trial came to its end."""
        self._in_a_row = 0

    def leave_split(self, error: HostError) -> str:
        """Have the host as found again after `error` ended a trial to a split, and return why, in words.

        Raises:
            HostError: `error`, where it is none of a host that is too slow, or one too many; or what kept the originals
                from being back. The sweep ends.
        """
        if self._guard is None:
            raise error
        cause = self._find_cause(error, self._guard)
        self._in_a_row += 1
        if self._in_a_row > MOST_IN_A_ROW:
            raise error
        if isinstance(cause, GuardFired) or not self._restore_under_guard():
            self._retake_host(self._guard)
            return f"{cause}; every original read back, and a new guard was armed"
        return str(cause)

    def _find_cause(self, error: HostError, guard: HostGuard) -> HostError:
        """Return what is behind an error: a value that did not last may be the guard's. Raises other errors."""
        if isinstance(error, SplitUnresponsive | GuardFired | HostUnreachable):
            return error
        if not isinstance(error, WriteNotVerified):
            raise error
        try:
            guard.check_guard()
        except (GuardFired, HostUnreachable) as fired:
            return fired
        raise error

    def _restore_under_guard(self) -> bool:
        """Set the originals under the guard; False when that is not certain."""
        try:
            self._factor.set(None)
        except (GuardFired, HostUnreachable, WriteNotVerified) as error:
            log.warning("a split could not be left in time: %s", error)
            return False
        return True

    def _retake_host(self, guard: HostGuard) -> None:
        """Take the host again, however long its guard takes, and believe only what reads back. Raises HostError."""
        end_s = self._control.clock.now() + _PATIENCE_S
        while True:
            try:
                guard.rearm_guard()
                break
            except HostUnreachable as error:
                if self._control.clock.now() > end_s:
                    raise
                log.warning("the host is not reached yet: %s", error)
            self._control.wait(_AGAIN_S)
        self._lease.check_found()
