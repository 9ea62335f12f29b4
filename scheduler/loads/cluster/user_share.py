"""Users on one worker, in one Dask task: their lines, signs of life, and clock."""

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
from scheduler.translation import _
from scheduler.waiting import is_abort_requested, wait_until

log = logging.getLogger(__name__)

MOST_CLOCK_ERROR_S = 0.05
"""Largest accepted clock error, seconds. A larger error could move more than a twentieth of a second's count to the
next."""

_BEGIN_S = 10.0  # until a worker starts a task; a busy worker does not
_PATIENCE_S = 1.0
_LOOK_S = 0.05
_CLOCK_S = 5.0  # shorter than a trial: clocks are measured before, during and after it
_SILENT_S = 3.0  # a supervisor sends a message twice a second
_END_S = ORPHANED_S + 5.0  # supervisors without orders end by then, asked users within 9 s (user_process)
_ABORT_S = 2.0  # instead of this, after an abort: a supervisor without orders ends its users by itself


class UserShare:
    """Users on one worker. The constructor starts their supervisor.

    Args:
        cluster: Connection to the cluster.
        worker: The worker.
        cpus: Number of CPUs for these users, > 0.

    Raises:
        ClientLost: The worker's clock cannot be measured.
        ClusterNotUsable: The worker does not accept the task.
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
        self._over = threading.Event()  # set after its last message, or after the end of its task
        self._silent = 0  # beats since its last message
        self._ended = False
        self._share = f"domtune-{secrets.token_hex(8)}"
        self._link.listen(self._share, self)
        latest_s = time.monotonic() + self._offset.ahead_s + _BEGIN_S
        try:
            self._link.ask(StartShare(self._share, worker.address, latest_s), DoneReply, _BEGIN_S)
        except NoDaskAnswer as error:
            raise ClusterNotUsable(
                _("{worker} cannot be given any work: {error}").format(worker=worker.title, error=error)
            ) from error
        # These threads are never joined, because a question to a lost worker may take half a minute.
        for work, word in ((self._watch_life, "life of"), (self._measure_clock, "clock of")):
            threading.Thread(target=work, daemon=True, name=f"{word} {worker.name}").start()

    @property
    def ahead_s(self) -> float:
        """Seconds by which the worker's clock is ahead of ours."""
        return self._offset.ahead_s

    @property
    def clock_error_s(self) -> float:
        """Bound of the error of `ahead_s` now, seconds, >= 0."""
        return self._offset.error_at(time.monotonic())

    def wait_for_begin(self) -> None:
        """Wait until the worker has started the supervisor.

        Raises:
            ClusterNotUsable: The worker has not started it in time, or its clock is not known precisely enough.
            ClientLost: The worker was lost.
        """
        wait_until(lambda: self._here.is_set() or is_abort_requested(), _BEGIN_S + _PATIENCE_S, _LOOK_S)
        if not self._here.is_set():
            raise ClusterNotUsable(
                _("{worker} has not begun within {begin_s:g} s").format(worker=self.worker.title, begin_s=_BEGIN_S),
                hint=_("The workers of a load must have no other work. Check the worker."),
            )
        self.refuse_lost()
        _refuse_unsure_clock(self.worker, self._offset)

    def start(self, begins: Sequence[BeginOrder], probe: BeginOrder | None) -> list[RemoteUser]:
        """Start users; return them with the extra reader last.

        The password in a user's parameters is sent as data, encrypted by TLS.

        Args:
            begins: First order of each user.
            probe: First order of the extra reader. None for no reader.
        """
        last = [probe] if probe is not None else []
        users = [RemoteUser(begin, self) for begin in begins] + [RemoteUser(begin, self, probe=True) for begin in last]
        self._users = {user.number: user for user in users}
        for user, begin in zip(users, [*begins, *last], strict=True):
            self._send_order(PROBE_ORDER if user.probe else START_ORDER, user.number, encode_line(begin))
        return users

    def tell(self, number: int, line: bytes) -> None:
        """Pass a line to a user.

        Args:
            number: Number of the user.
            line: JSON line.
        """
        self._send_order(TELL_ORDER, number, line)

    def refuse_lost(self) -> None:
        """Raise ClientLost when the worker or its clock was lost."""
        if self.lost is not None:
            raise ClientLost(str(self.lost), hint=self.lost.hint)

    def _measure_clock(self) -> None:
        """Measure the worker's clock repeatedly until the end, in a separate thread."""
        while not self._leaving.wait(_CLOCK_S) and self.lost is None:
            self._check_clock()

    def _check_clock(self) -> None:
        try:
            later = self._cluster.clock_of(self.worker)
        except ClientLost as lost:  # a lost worker is also detected by its silence
            log.info("%s", lost)
            return
        found = self._offset.followed_by(later)
        if found is None:
            moved_ms = 1000 * abs(later.ahead_s - self._offset.ahead_s)
            self._mark_lost(
                _("the clock of {worker} has jumped by {moved_ms:.0f} ms against this computer's").format(
                    worker=self.worker.title, moved_ms=moved_ms
                )
            )
            return
        self._offset = found
        if self.clock_error_s > MOST_CLOCK_ERROR_S:
            self._mark_lost(_clock_error_text(self.worker, self._offset))
        for user in list(self._users.values()):
            user.align()

    def ask_to_end(self) -> None:
        """Ask all users to end; never raise."""
        if not self._leaving.is_set():
            self._leaving.set()
            self._send_order(END_ORDER, SUPERVISOR_NUMBER, b"")

    def end(self) -> None:
        """End the share; wait until none of its users can work any more.

        Never raise. A second call does nothing.
        """
        if self._ended:
            return
        self.ask_to_end()
        self._ended = True
        self._wait_for_end()
        self._over.set()
        self._link.send(EndShare(self._share))

    def hear(self, words: ShareWords) -> None:
        """Take lines from the users; the link's thread calls this."""
        self._silent = 0
        self._here.set()
        for number, line in words.words:
            if number == SUPERVISOR_NUMBER and self._leaving.is_set():
                self._over.set()
            elif number == SUPERVISOR_NUMBER:
                self._mark_lost(
                    _("{worker} was lost: its users were ended, as {line}").format(
                        worker=self.worker.title, line=line[:200]
                    )
                )
            elif number in self._users and not self._users[number].hear(line.encode()):
                self._mark_lost(_("{worker} sent more data than expected").format(worker=self.worker.title))

    def lose(self, why: str, *, ended: bool) -> None:
        """Mark the share as lost or ended; the link's thread calls this.

        Args:
            why: The reason.
            ended: True if its task has ended, and its users with it.
        """
        if not self._leaving.is_set():
            self._mark_lost(_("{worker} was lost: {why}").format(worker=self.worker.title, why=why))
        if ended:
            self._over.set()

    def _send_order(self, word: str, number: int, line: bytes) -> None:
        order: ShareOrder = (word, number, line.decode())
        self._link.send(PassOrders(self._share, (order,)))

    def _wait_for_end(self) -> None:
        """Wait for the supervisor's last message.

        A lost supervisor that still runs ends its users by itself, because it gets no orders.
        """
        began_s = time.monotonic()
        for _unused in range(math.ceil(_END_S / BEAT_S)):
            if self._over.wait(BEAT_S):
                return
            if is_abort_requested() and time.monotonic() > began_s + _ABORT_S:
                break
            if self.lost is not None and not self._cluster.has(self.worker):
                return  # its users ended with the worker, because their input closed
        log.warning("%s did not confirm the end of its users", self.worker.title)

    def _watch_life(self) -> None:
        """Send signs of life, and check those of the worker, in a thread that never waits.

        Beats are counted, not seconds. So a suspend of this computer does not look like a loss.
        """
        while not self._over.wait(BEAT_S) and self.lost is None:
            self._send_order(BEAT_ORDER, SUPERVISOR_NUMBER, b"")
            self._silent += self._here.is_set()
            silent_s = self._silent * BEAT_S
            if self._leaving.is_set():
                if silent_s >= _END_S:
                    return
            elif is_abort_requested():
                self._mark_lost(
                    _("{worker} is not waited for any more, since the sweep is to end").format(worker=self.worker.title)
                )
            elif silent_s >= _SILENT_S:
                self._mark_lost(
                    _("{worker} was lost: no message for {silent_s:g} s").format(
                        worker=self.worker.title, silent_s=silent_s
                    )
                )

    def _mark_lost(self, why: str) -> None:
        hint = _("The trial is discarded; DomTune never averages over the rest. Check that computer.")
        self.lost = self.lost or ClientLost(why, hint=hint)
        self._here.set()
        for user in list(self._users.values()):
            user.wake()


def _refuse_unsure_clock(worker: DaskWorker, offset: ClockOffset) -> None:
    if offset.error_s > MOST_CLOCK_ERROR_S:
        raise ClusterNotUsable(
            _clock_error_text(worker, offset), hint=_("Is the network in between, or that computer, overloaded?")
        )


def _clock_error_text(worker: DaskWorker, offset: ClockOffset) -> str:
    most = _("at most {most_clock_error_s:g} ms are tolerable").format(most_clock_error_s=1000 * MOST_CLOCK_ERROR_S)
    return _("the clock of {worker} is known to {error_s:.0f} ms only; {most}").format(
        worker=worker.title, error_s=1000 * offset.error_s, most=most
    )
