"""User pool: all users of one load, with a common start."""

import logging
import math
import select
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import scheduler.errors
from scheduler.errors import LoadDied, LoadError
from scheduler.loads.load_protocols import LoadSecond
from scheduler.loads.second_merger import SecondMerger
from scheduler.loads.user_messages import (
    BeginOrder,
    DatabaseRestartedOrder,
    FailedAnswer,
    GoOrder,
    ParkOrder,
    SecondReport,
    StopOrder,
    UserOrder,
    UserTotals,
)
from scheduler.loads.user_process import UserProcess
from scheduler.loads.user_protocols import PoolUser, UserSite
from scheduler.translation import _
from scheduler.waiting import check_abort

log = logging.getLogger(__name__)

_CONNECT_S = 40.0  # more than the 10 s of libpq, whose message is better
_PARK_S = 3.0  # short, because a late user parks anyway when its operation ends
_ANSWER_S = 30.0  # without CPU limits
_STUCK_S = 30.0  # after this time, the database or its relay is lost
_MOST_LETTERS = 2_000  # of a user's error
_LOOK_S = 0.25
_LEAD_S = 0.05  # from the last order to the common start time


class LocalSite:
    """Users on the pool's computer, each a child of this process."""

    lead_s = _LEAD_S

    def start(self, begins: Sequence[BeginOrder], probe: BeginOrder | None) -> Sequence[PoolUser]:
        users: list[UserProcess] = []
        try:
            users.extend(UserProcess(begin) for begin in begins)  # if one fails, the list has the users before it
            if probe is not None:
                users.append(UserProcess(probe, probe=True))
        except OSError as error:
            _end_users(users)
            raise LoadError(
                _("user {count} of {kind} could not be started: {error}").format(
                    count=len(users), kind=begins[0].kind, error=error
                )
            ) from error
        return users


class UserPool:
    """Users of one load.

    Args:
        begins: First orders, one per user.
        probe: First order of the probe reader; None for none.
        longest_s: Longest time of an operation by its own limit, seconds; the pool waits longer than that.
        site: Place where the users run; None for this computer.
    """

    def __init__(
        self,
        begins: Sequence[BeginOrder],
        probe: BeginOrder | None = None,
        longest_s: float = 0.0,
        site: UserSite | None = None,
    ) -> None:
        self._site = site or LocalSite()
        self._longest_s = longest_s
        self._kind = begins[0].kind
        self._count = len(begins)
        self._probe = probe is not None
        self._merging: SecondMerger | None = None
        self._users = self._site.start(begins, probe)

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of all users that run on this computer."""
        return tuple(user.pid for user in self._users if user.pid)

    def connect(self) -> None:
        """Wait until every user is connected.

        Raises:
            LoadError: A user could not connect; the class is that of the user's error.
        """
        self._require_users(lambda user: user.ready, _CONNECT_S, "connected", starting=True)

    def go(self) -> None:
        """Start all users at one common time, and return at that time.

        A measurement that began earlier would wait for a second that no user reports, because it was not whole.
        """
        at_s = time.monotonic() + self._site.lead_s
        for user in self._users:
            user.parked = user.cold = False
        self._send_order(GoOrder(at_s))
        self._merging = SecondMerger(self._count, probe=self._probe, first_second=math.ceil(at_s))
        select.select([], [], [], max(0.0, at_s - time.monotonic()))

    def poll(self) -> list[LoadSecond]:
        """Return the seconds that became complete; never wait.

        Raises:
            LoadDied: A user died.
        """
        for user in self._users:
            self._take_reports(user)
        return self._merging.complete(time.monotonic()) if self._merging is not None else []

    @property
    def cold(self) -> bool:
        """True while a user waits for a database with an empty cache."""
        return any(user.cold for user in self._users)

    def cooled(self, kept_bytes: int) -> None:
        """Let the waiting users continue, after the database was restarted."""
        for user in self._users:
            if user.cold:
                user.cold = False
                user.send(DatabaseRestartedOrder(kept_bytes))

    def park(self) -> None:
        """Hold all users after their current operations.

        A late user is not awaited for more than a few seconds.
        """
        if self._merging is None:
            return
        self._merging = None
        self._send_order(ParkOrder())
        late = self._wait_for_users(lambda user: user.parked, _PARK_S)
        if late:
            log.info("%d users of %s are still in an operation; they park when it ends", len(late), self._kind)

    def unpark(self) -> None:
        """Let all users continue together.

        Raises:
            LoadDied: A user was never parked.
        """
        self._require_users(lambda user: user.parked, self._longest_s + _ANSWER_S, "parked")
        self.go()

    def stop(self) -> UserTotals:
        """Stop all users after their current operations; return their totals.

        Raises:
            LoadDied: A user died.
        """
        self._merging = None
        self._send_order(StopOrder())
        self._require_users(lambda user: user.totals is not None, self._longest_s + _ANSWER_S, "stopped")
        totals = [(user.probe, user.totals) for user in self._users if user.totals is not None]
        sorts: Counter[str] = Counter()
        answers: Counter[str] = Counter()
        for probe, total in totals:
            sorts.update({} if probe else total.sorts)
            answers.update(total.answers)
        return UserTotals(
            tuples=sum(total.tuples for probe, total in totals if not probe),
            misses=sum(total.misses for _, total in totals),
            retries=sum(total.retries for _, total in totals),
            sorts=sorts,
            answers=answers,
        )

    def end(self) -> None:
        """End every process; never raise. A second call does nothing."""
        _end_users(self._users)

    def _send_order(self, order: UserOrder) -> None:
        for user in self._users:
            user.send(order)

    def _require_users(
        self, done: Callable[[PoolUser], bool], patience_s: float, word: str, *, starting: bool = False
    ) -> None:
        late = self._wait_for_users(done, patience_s, starting=starting)
        if late:
            raise LoadDied(
                _("{count} of {count_2} users of {kind} have not {word} within {patience_s:g} s").format(
                    count=len(late), count_2=len(self._users), kind=self._kind, word=word, patience_s=patience_s
                ),
                hint=_("Is the database still answering? Its log may say more."),
            )

    def _wait_for_users(
        self, done: Callable[[PoolUser], bool], patience_s: float, *, starting: bool = False
    ) -> list[PoolUser]:
        """Wait until `done` holds for every user, at most `patience_s`; return the others."""
        deadline_s = time.monotonic() + patience_s
        while waiting := [user for user in self._users if not done(user)]:
            left_s = deadline_s - time.monotonic()
            if left_s <= 0:
                break
            check_abort()
            readable, _, _ = select.select(waiting, [], [], min(left_s, _LOOK_S))
            for user in readable:
                self._take_reports(user, starting=starting)
        return waiting

    def _take_reports(self, user: PoolUser, *, starting: bool = False) -> None:
        for report in _user_reports(user, starting=starting):
            if report.second > time.monotonic():  # impossible: clocks differ by milliseconds only
                raise LoadDied(
                    _("{user} has reported the second {second}, which has not come yet").format(
                        user=user.name, second=report.second
                    )
                )
            if report.waiting_s > self._longest_s + _STUCK_S:
                raise LoadDied(
                    _("{user} has waited {waiting_s:.0f} s for one answer").format(
                        user=user.name, waiting_s=report.waiting_s
                    ),
                    hint=_("Is the database still answering? Its log may say more."),
                )
            if self._merging is not None:
                self._merging.take(report, probe=user.probe, machine=user.machine)


def _end_users(users: Sequence[PoolUser]) -> None:
    for user in users:
        user.ask_to_end()  # ask all users first, then wait for each
    for user in users:
        user.end()


def _user_reports(user: PoolUser, *, starting: bool) -> Iterator[SecondReport]:
    for answer in user.answers():
        if isinstance(answer, FailedAnswer):
            raise _error_from_user(user, answer, starting=starting)
        if isinstance(answer, SecondReport):
            yield answer


def _error_from_user(user: PoolUser, failed: FailedAnswer, *, starting: bool) -> LoadError:
    """Return a user's error: while connecting as it is, later as LoadDied."""
    text = failed.text[:_MOST_LETTERS]
    if starting:
        kind = getattr(scheduler.errors, failed.error, LoadDied)
        if isinstance(kind, type) and issubclass(kind, LoadError):
            return kind(f"{user.name}: {text}", hint=failed.hint)
    return LoadDied(
        _("{user} died: {text}").format(user=user.name, text=text),
        hint=failed.hint or _("The database's log may say more."),
    )
