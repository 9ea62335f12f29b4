"""Session of `follow`, from taking the host to restoring it."""

import contextlib
import logging
from collections.abc import Callable

from scheduler.errors import HostBusy, HostError, HostUnreachable, RestoreFailed, SchedulerError
from scheduler.hosts.protocols import Host
from scheduler.model.observation_documents import FollowDone, FollowEnd
from scheduler.run.commit_counter import CommitRate
from scheduler.run.control import AbortRequested
from scheduler.run.follow_actor import FollowActor, FollowParts
from scheduler.run.follow_reporter import FollowingWorse
from scheduler.run.observation import ObservationLoop
from scheduler.run.split_setter import SplitSetter
from scheduler.run.systemd_notify import SystemdNotifier
from scheduler.translation import _

log = logging.getLogger(__name__)

AFTER_S = 300.0
"""The guard restores the host so long after the planned end, even if it still receives heartbeats."""


class FollowSession:
    """Session that takes a host, follows it, and restores it.

    Args:
        parts: The parts of the run.

    Attributes:
        error: Error that ended the run, for the caller's exit code; None without an error.
    """

    def __init__(self, parts: FollowParts) -> None:
        self._parts = parts
        self._following: FollowActor | None = None
        self.error: SchedulerError | None = None

    def run(self) -> FollowDone:
        """Follow until the end, restore the host in every case, and return the last line."""
        parts = self._parts
        end, reason = FollowEnd.TIME, _("its time is over")
        try:
            with parts.lease:  # the lease restores the host at its end
                self._run_following()
        except AbortRequested as request:
            end, reason = FollowEnd.USER, str(request)
        except FollowingWorse as measured:
            end, reason = FollowEnd.EVIDENCE, str(measured)
        except SchedulerError as error:
            self.error = error
            end, reason = _classify_end(error)
        finally:
            self._release_local_guard()
            parts.host.close()
        return self._build_result(end, reason)

    def _run_following(self) -> None:
        parts = self._parts
        host = parts.host
        steering = SplitSetter(host, parts.lease, host.facts())
        if steering.found.params != parts.asked.params:
            raise HostBusy(
                _("the settings changed after the question; nothing was changed"),
                hint=_("Find the other program that sets them, then try again."),
            )
        guarded = host.follow(parts.plan.for_s + AFTER_S)
        if not guarded:
            parts.local_guard.start()
            parts.lease.recorded = parts.local_guard.hand_record
        reported = _guard_heartbeat(host) if guarded else parts.local_guard.beat
        service = SystemdNotifier()

        def beat() -> None:
            reported()
            service.alive()

        commits = CommitRate(parts.committed)
        self._following = FollowActor(parts, steering, commits, beat)
        loop = ObservationLoop(host, parts.control, self._following, commits)
        service.ready()
        try:
            loop.start()
            loop.run(parts.plan.for_s)
        finally:
            service.notify_stopping()

    def _release_local_guard(self) -> None:
        """End the local guard, or leave a pending restore to it.

        A guard on the host is disarmed when all differences are foreign values.
        """
        if self._parts.lease.pending and not self._is_left_on_purpose():
            self._parts.local_guard.hand_over()
            return
        self._parts.local_guard.release()
        guard = self._parts.host.guard
        if self._parts.lease.pending and guard is not None:
            try:
                guard.disarm_restore()  # an armed guard would overwrite foreign values
            except HostError as error:
                log.warning("the guard could not be taken away: %s", error)

    def _is_left_on_purpose(self) -> bool:
        """Return True when all differences from the original settings are foreign values."""
        return isinstance(self.error, RestoreFailed) and self.error.left == frozenset(self.error.pending)

    def _build_result(self, end: FollowEnd, reason: str) -> FollowDone:
        following, lease = self._following, self._parts.lease
        busy = isinstance(self.error, HostBusy) and not (lease.touched or lease.pending)
        return FollowDone(
            host=self._parts.host.facts().url if following else "",
            t_s=following.lines.followed_s if following else 0.0,
            end=end,
            reason=reason,
            restored=not lease.pending and not busy,
            busy=busy,
            moves=following.lines.moves if following else 0,
            hold_frac=following.lines.hold_frac if following else 0.0,
            gains=following.accounts.gains if following else (),
            audited=len(following.lines.audit.moves) if following else 0,
            audit_slope=following.lines.audit.slope if following else None,
            remarks=(
                *(following.gaps if following else ()),
                *(following.accounts.remarks if following else ()),
                *self._parts.host.warnings(),
            ),
            error=str(self.error) if self.error is not None else "",
            hint=self.error.hint if self.error is not None else "",
        )


def _guard_heartbeat(host: Host) -> Callable[[], None]:
    """Return the heartbeat of the host's guard.

    The guard itself handles a lost connection.
    """

    def beat() -> None:
        if host.guard is not None:
            with contextlib.suppress(HostUnreachable):
                host.guard.check_guard()

    return beat


def _classify_end(error: SchedulerError) -> tuple[FollowEnd, str]:
    """Return the kind and text of the first cause; a restore error is a later cause."""
    first = list(_error_chain(error))[-1]
    words = "; ".join(dict.fromkeys(str(each) for each in reversed(list(_error_chain(error)))))
    match first:
        case AbortRequested():
            return FollowEnd.USER, words
        case FollowingWorse():
            return FollowEnd.EVIDENCE, words
        case HostError():
            return FollowEnd.HOST, words
        case _:
            return FollowEnd.FAILED, words


def _error_chain(error: BaseException | None) -> list[BaseException]:
    """Return an error and those that were handled when it was raised, newest first.

    Only errors with a text of our own are included.
    """
    found: list[BaseException] = []
    while error is not None:
        if isinstance(error, SchedulerError | AbortRequested | FollowingWorse):
            found.append(error)
        error = error.__context__
    return found
