"""Following from taking the host to giving it back: lease, guard or keeper, and what is told at the end."""

import contextlib
import logging
from collections.abc import Callable

from scheduler.errors import HostBusy, HostError, HostNotUsable, HostUnreachable, RestoreFailed, SchedulerError
from scheduler.hosts.base import Followed, HasWarnings, Holding, Host, Keeping
from scheduler.model.following import FollowDone, FollowEnd
from scheduler.run.control import AbortRequested
from scheduler.run.follow_plan import FollowParts
from scheduler.run.follow_rate import BroughtLess
from scheduler.run.following import Following
from scheduler.run.service import Service
from scheduler.run.steering import Steering

log = logging.getLogger(__name__)

AFTER_S = 300.0
"""The host is as found so long after the planned end in any case, whoever still sends heartbeats."""


class FollowSession:
    """Takes a host, follows it, gives it back.

    Args:
        parts: What it is made of.

    Attributes:
        error: What ended it, for the caller's exit code; None when nothing did.
    """

    def __init__(self, parts: FollowParts) -> None:
        self._parts = parts
        self._following: Following | None = None
        self.error: SchedulerError | None = None

    def run(self) -> FollowDone:
        """Follow to the end, whatever that is; the host is given back in every case. Returns the last line."""
        parts = self._parts
        end, reason = FollowEnd.TIME, "its time is over"
        try:
            with parts.lease:  # leaving it puts the host back
                self._follow()
        except AbortRequested as request:
            end, reason = FollowEnd.USER, str(request)
        except BroughtLess as measured:
            end, reason = FollowEnd.EVIDENCE, str(measured)
        except SchedulerError as error:
            self.error = error
            end, reason = _end_of(error)
        finally:
            self._let_keeper_go()
            parts.host.close()
        return self._done(end, reason)

    def _follow(self) -> None:
        parts = self._parts
        host = parts.host
        if not isinstance(host, Followed):
            raise HostNotUsable(
                "a split of this kind of host cannot be followed", hint="'domtune watch' can look at it."
            )
        steering = Steering(host, parts.lease, host.facts())
        if steering.found.params != parts.asked.params:
            raise HostBusy(
                "what is set was changed since it was asked about; nothing was written",
                hint="Look who else sets it, then ask again.",
            )
        guarded = host.follow(parts.plan.for_s + AFTER_S)
        if not guarded:
            parts.keeper.start()
            parts.lease.recorded = parts.keeper.hand_record
        told = _guard_beat(host) if guarded else parts.keeper.beat
        service = Service()

        def beat() -> None:
            told()
            service.alive()

        self._following = Following(parts, steering, beat)
        service.ready()
        try:
            self._following.run()
        finally:
            service.stopping()

    def _let_keeper_go(self) -> None:
        """It goes when the host is as found, or when it could do nothing; else it goes on trying."""
        if self._parts.lease.pending and not self._left_on_purpose():
            self._parts.keeper.hand_over()
            return
        self._parts.keeper.release()
        host = self._parts.host
        if self._parts.lease.pending and isinstance(host, Keeping):
            try:
                host.keep()  # its guard would overwrite what somebody else has set
            except HostError as error:
                log.warning("the guard could not be taken away: %s", error)

    def _left_on_purpose(self) -> bool:
        """Return whether all that is not as found is somebody else's."""
        return isinstance(self.error, RestoreFailed) and self.error.left == frozenset(self.error.pending)

    def _done(self, end: FollowEnd, reason: str) -> FollowDone:
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
            gains=following.rate.gains if following else (),
            audited=len(following.lines.audit.moves) if following else 0,
            audit_slope=following.lines.audit.slope if following else None,
            remarks=(*(following.rate.remarks if following else ()), *self._unseen()),
            error=str(self.error) if self.error is not None else "",
            hint=self.error.hint if self.error is not None else "",
        )

    def _unseen(self) -> tuple[str, ...]:
        """Return what the host did not see while it was followed."""
        host = self._parts.host
        return host.warnings() if isinstance(host, HasWarnings) else ()


def not_followed() -> HostNotUsable:
    """Return the error for a host that has no way to be followed."""
    return HostNotUsable("a split of this kind of host cannot be followed", hint="'domtune watch' can look at it.")


def _guard_beat(host: Host) -> Callable[[], None]:
    """Return what tells the host's guard that a window is finished; a way that is cut is the guard's affair."""

    def beat() -> None:
        if isinstance(host, Holding):
            with contextlib.suppress(HostUnreachable):
                host.assure()

    return beat


def _end_of(error: SchedulerError) -> tuple[FollowEnd, str]:
    """Return why it ended: what kept the host from being put back came after that."""
    first = list(_chain(error))[-1]
    words = "; ".join(dict.fromkeys(str(each) for each in reversed(list(_chain(error)))))
    match first:
        case AbortRequested():
            return FollowEnd.USER, words
        case BroughtLess():
            return FollowEnd.EVIDENCE, words
        case HostError():
            return FollowEnd.HOST, words
        case _:
            return FollowEnd.FAILED, words


def _chain(error: BaseException | None) -> list[BaseException]:
    """Return an error and what was being handled when it came, the newest first; only what has words of ours."""
    found: list[BaseException] = []
    while error is not None:
        if isinstance(error, SchedulerError | AbortRequested | BroughtLess):
            found.append(error)
        error = error.__context__
    return found
