"""The users on one worker: one task of Dask's for all of them, lines down, lines up, and whether it still lives."""

import logging
import math
import secrets
import threading
import time
from collections.abc import Sequence

from scheduler.errors import ClientLost, ClusterNotUsable
from scheduler.loads.cluster.clock_offset import ClockOffset
from scheduler.loads.cluster.cluster_messages import (
    BEAT_ORDER,
    BEAT_S,
    END_ORDER,
    ORPHANED_S,
    PROBE_ORDER,
    START_ORDER,
    SUPERVISOR_NUMBER,
    TELL_ORDER,
    DoneReply,
    EndShare,
    PassOrders,
    ShareOrder,
    ShareWords,
    StartShare,
)
from scheduler.loads.cluster.dask_cluster import DaskCluster, DaskWorker
from scheduler.loads.cluster.dask_link import NoDaskAnswer
from scheduler.loads.cluster.remote_user import RemoteUser
from scheduler.loads.user_messages import BeginOrder, encode_line
from scheduler.waiting import is_abort_requested, wait_until

log = logging.getLogger(__name__)

MOST_CLOCK_ERROR_S = 0.05
"""With more, a twentieth of what a second counts may be its neighbour's."""

_BEGIN_S = 10.0  # until a worker has taken a task up; one that works on something else does not
_PATIENCE_S = 1.0
_LOOK_S = 0.05
_CLOCK_S = 5.0  # a trial is longer: its clocks are looked at before, during and after it
_SILENT_S = 3.0  # a supervisor says something twice a second
_END_S = ORPHANED_S + 5.0  # one that hears nobody ends then; users that are asked to end do within 9 (user_process)
_ABORT_S = 2.0  # of that, once an abort was asked for: a supervisor that hears nobody ends its users by itself


class UserShare:
    """The users on one worker.

    Args:
        cluster: The way to it.
        worker: The worker.
        cpus: How many CPUs its users have to themselves.

    Raises:
        ClientLost: It does not tell its time.
        ClusterNotUsable: It cannot be started there.
    """

    def __init__(self, cluster: DaskCluster, worker: DaskWorker, cpus: float) -> None:
        self._cluster = cluster
        self._link = cluster.link
        self.worker = worker
        self.name = worker.name
        self.cpus = cpus
        self.lost: ClientLost | None = None
        self._offset = cluster.clock_of(worker)
        self._users: dict[int, RemoteUser] = {}
        self._leaving = threading.Event()
        self._here = threading.Event()
        self._over = threading.Event()  # its last word was heard, or its task has ended
        self._silent = 0  # looks since its last word
        self._ended = False
        self._share = f"domtune-{secrets.token_hex(8)}"
        self._link.listen(self._share, self)
        latest_s = time.monotonic() + self._offset.ahead_s + _BEGIN_S
        try:
            self._link.ask(StartShare(self._share, worker.address, latest_s), DoneReply, _BEGIN_S)
        except NoDaskAnswer as error:
            raise ClusterNotUsable(f"{worker.title} cannot be given any work: {error}") from error
        # Not waited for: a question to a worker that is gone may hang for half a minute.
        for work, word in ((self._watch_life, "life of"), (self._measure_clock, "clock of")):
            threading.Thread(target=work, daemon=True, name=f"{word} {worker.name}").start()

    @property
    def ahead_s(self) -> float:
        """What the worker's clock is ahead of ours."""
        return self._offset.ahead_s

    @property
    def clock_error_s(self) -> float:
        """By how much that may be wrong now."""
        return self._offset.error_at(time.monotonic())

    def wait_for_begin(self) -> None:
        """Wait until the worker has taken it up; raises ClusterNotUsable, ClientLost."""
        wait_until(lambda: self._here.is_set() or is_abort_requested(), _BEGIN_S + _PATIENCE_S, _LOOK_S)
        if not self._here.is_set():
            raise ClusterNotUsable(
                f"{self.worker.title} has not begun within {_BEGIN_S:g} s",
                hint="Does it work on something else? The workers of a load must have nothing else to do.",
            )
        self.refuse_lost()
        _refuse_unsure_clock(self.worker, self._offset)

    def start(self, begins: Sequence[BeginOrder], probe: BeginOrder | None) -> list[RemoteUser]:
        """Start users; the extra reader last. The password among a user's parameters goes as data, encrypted by TLS."""
        last = [probe] if probe is not None else []
        users = [RemoteUser(begin, self) for begin in begins] + [RemoteUser(begin, self, probe=True) for begin in last]
        self._users = {user.number: user for user in users}
        for user, begin in zip(users, [*begins, *last], strict=True):
            self._send_order(PROBE_ORDER if user.probe else START_ORDER, user.number, encode_line(begin))
        return users

    def tell(self, number: int, line: bytes) -> None:
        """Pass a line to a user."""
        self._send_order(TELL_ORDER, number, line)

    def refuse_lost(self) -> None:
        """Raise ClientLost where the worker was lost, or its clock."""
        if self.lost is not None:
            raise ClientLost(str(self.lost), hint=self.lost.hint)

    def _measure_clock(self) -> None:
        """Measure its clock again and again until the end, in a thread of its own."""
        while not self._leaving.wait(_CLOCK_S) and self.lost is None:
            self._check_clock()

    def _check_clock(self) -> None:
        try:
            later = self._cluster.clock_of(self.worker)
        except ClientLost as lost:  # who is really gone is silent, too
            log.info("%s", lost)
            return
        found = self._offset.followed_by(later)
        if found is None:
            moved_ms = 1000 * abs(later.ahead_s - self._offset.ahead_s)
            self._mark_lost(f"the clock of {self.worker.title} has jumped by {moved_ms:.0f} ms against this computer's")
            return
        self._offset = found
        if self.clock_error_s > MOST_CLOCK_ERROR_S:
            self._mark_lost(_clock_error_text(self.worker, self._offset))
        for user in list(self._users.values()):
            user.align()

    def ask_to_end(self) -> None:
        """Have its users end; never raises."""
        if not self._leaving.is_set():
            self._leaving.set()
            self._send_order(END_ORDER, SUPERVISOR_NUMBER, b"")

    def end(self) -> None:
        """End it, and wait until none of its users can work any more; never raises, may be called twice."""
        if self._ended:
            return
        self.ask_to_end()
        self._ended = True
        self._wait_for_end()
        self._over.set()
        self._link.send(EndShare(self._share))

    def hear(self, words: ShareWords) -> None:
        """Take what the users say; called by the link's thread."""
        self._silent = 0
        self._here.set()
        for number, line in words.words:
            if number == SUPERVISOR_NUMBER and self._leaving.is_set():
                self._over.set()
            elif number == SUPERVISOR_NUMBER:
                self._mark_lost(f"{self.worker.title} was lost: its users were ended, as {line[:200]}")
            elif number in self._users and not self._users[number].hear(line.encode()):
                self._mark_lost(f"{self.worker.title} says more than a load's users say")

    def lose(self, why: str, *, ended: bool) -> None:
        """Note that it is lost, or has ended; called by the link's thread."""
        if not self._leaving.is_set():
            self._mark_lost(f"{self.worker.title} was lost: {why}")
        if ended:
            self._over.set()

    def _send_order(self, word: str, number: int, line: bytes) -> None:
        order: ShareOrder = (word, number, line.decode())
        self._link.send(PassOrders(self._share, (order,)))

    def _wait_for_end(self) -> None:
        """Wait for its last word. One that is lost and lives on ends its users by itself, as nobody speaks to it."""
        began_s = time.monotonic()
        for _ in range(math.ceil(_END_S / BEAT_S)):
            if self._over.wait(BEAT_S):
                return
            if is_abort_requested() and time.monotonic() > began_s + _ABORT_S:
                break
            if self.lost is not None and not self._cluster.has(self.worker):
                return  # its users ended with it: their input closed
        log.warning("%s has not said that its users have ended", self.worker.title)

    def _watch_life(self) -> None:
        """Say that we live, and see whether it does, in a thread that waits for no answer.

        Looks are counted, not seconds: a computer that stood still has heard nothing, and nobody is gone.
        """
        while not self._over.wait(BEAT_S) and self.lost is None:
            self._send_order(BEAT_ORDER, SUPERVISOR_NUMBER, b"")
            self._silent += self._here.is_set()
            silent_s = self._silent * BEAT_S
            if self._leaving.is_set():
                if silent_s >= _END_S:
                    return
            elif is_abort_requested():
                self._mark_lost(f"{self.worker.title} is not waited for any more, since the sweep is to end")
            elif silent_s >= _SILENT_S:
                self._mark_lost(f"{self.worker.title} was lost: it has said nothing for {silent_s:g} s")

    def _mark_lost(self, why: str) -> None:
        hint = "What it measured with the others is void: never a mean of what is left. Does that computer still run?"
        self.lost = self.lost or ClientLost(why, hint=hint)
        self._here.set()
        for user in list(self._users.values()):
            user.wake()


def _refuse_unsure_clock(worker: DaskWorker, offset: ClockOffset) -> None:
    if offset.error_s > MOST_CLOCK_ERROR_S:
        raise ClusterNotUsable(
            _clock_error_text(worker, offset), hint="Is the network in between, or that computer, overloaded?"
        )


def _clock_error_text(worker: DaskWorker, offset: ClockOffset) -> str:
    most = f"at most {1000 * MOST_CLOCK_ERROR_S:g} ms are tolerable"
    return f"the clock of {worker.title} is known to {1000 * offset.error_s:.0f} ms only; {most}"
