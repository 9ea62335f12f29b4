"""Recovery from a split under which the host became unresponsive.

The host leaves the split in time, and the sweep continues from the baseline. A restore stays pending all the time:
nothing here writes, renames or removes the undo record.
"""

import logging

from scheduler.errors import GuardFired, HostError, HostUnreachable, SplitUnresponsive, WriteNotVerified
from scheduler.hosts.protocols import Host, HostGuard
from scheduler.run.control import RunControl
from scheduler.run.factor import SweepFactor
from scheduler.run.lease import HostLease
from scheduler.translation import _

log = logging.getLogger(__name__)

MOST_IN_A_ROW = 3
"""Unresponsive trials in a row before the sweep ends, because then the splits are not the cause."""

# A guard fires after a minute at most, and a starved Dom0 takes another minute to restore.
_PATIENCE_S = 120.0
_AGAIN_S = 2.0


class UnresponsiveRecovery:
    """Recovery of the baseline after splits under which the host was unresponsive.

    Args:
        host: The host; without a guard, no split is left in this way.
        lease: The right to write to the host.
        factor: Applies settings.
        control: Waits.
    """

    def __init__(self, host: Host, lease: HostLease, factor: SweepFactor, control: RunControl) -> None:
        self._guard = host.guard
        self._lease = lease
        self._factor = factor
        self._control = control
        self._in_a_row = 0

    def unresponsive_reason(self) -> str:
        """Return the reason to leave the split now; empty while the host answers commands.

        The host itself is not queried.
        """
        return self._guard.unresponsive_reason() if self._guard is not None else ""

    def note_trial_end(self) -> None:
        """Note that a trial was completed."""
        self._in_a_row = 0

    def leave_split(self, error: HostError) -> str:
        """Restore the baseline after `error` ended a trial; return the cause as text.

        Raises:
            HostError: The error has another cause, too many trials in a row failed, or an original is not restored. The
                sweep ends.
        """
        if self._guard is None:
            raise error
        cause = self._find_cause(error, self._guard)
        self._in_a_row += 1
        if self._in_a_row > MOST_IN_A_ROW:
            raise error
        if isinstance(cause, GuardFired) or not self._restore_under_guard():
            self._retake_host(self._guard)
            return _("{cause}; every original read back, and a new guard was armed").format(cause=cause)
        return str(cause)

    def retake_after_gap(self) -> None:
        """Take the host again if its guard fired while this computer slept.

        Raises:
            HostError: The host cannot be taken, or an original is not restored.
        """
        if self._guard is None:
            return
        try:
            self._guard.check_guard()
        except (GuardFired, HostUnreachable) as error:
            log.warning("after a gap in time: %s", error)
            self._retake_host(self._guard)

    def _find_cause(self, error: HostError, guard: HostGuard) -> HostError:
        """Return the cause of an error; a value that did not last may be the guard's.

        Raises:
            HostError: `error`, when it has another cause.
        """
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
        """Set the originals under the guard; return False when the result is not certain."""
        try:
            self._factor.set(None)
        except (GuardFired, HostUnreachable, WriteNotVerified) as error:
            log.warning("a split could not be left in time: %s", error)
            return False
        return True

    def _retake_host(self, guard: HostGuard) -> None:
        """Take the host again after its guard has fired, and verify every original.

        Raises:
            HostError: The host cannot be taken.
        """
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
