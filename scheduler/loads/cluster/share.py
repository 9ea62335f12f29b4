"""The users on one worker: one task of Dask's for all of them, lines down, lines up, and whether it still lives."""

import asyncio
import contextlib
import logging
import math
import queue
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError

from distributed import Queue

from scheduler.errors import ClientLost, ClusterNotUsable
from scheduler.loads.cluster.clock import Offset
from scheduler.loads.cluster.connecting import FAILURES, Cluster, Worker
from scheduler.loads.cluster.remote_user import RemoteUser
from scheduler.loads.cluster.supervisor import (
    ALONE_S,
    BEAT,
    BEAT_S,
    END,
    OVER,
    PROBE,
    START,
    TELL,
    Order,
    Word,
    orders_of,
    supervise,
    words_of,
)
from scheduler.loads.orders import Begin, to_line

log = logging.getLogger(__name__)

MOST_CLOCK_ERROR_S = 0.05
"""With more, a twentieth of what a second counts may be its neighbour's."""

_BEGIN_S = 10.0  # until a worker has taken a task up; one that works on something else does not
_PATIENCE_S = 1.0
_CLOCK_S = 5.0  # a visit is longer: its clocks are looked at before, during and after it
_SILENT_S = 3.0  # a supervisor says something twice a second
_END_S = ALONE_S + 5.0  # one that hears nobody ends then; users that are asked to end do within 9 (user_process)


class Share:
    """The users on one worker.

    Args:
        cluster: The way to it.
        worker: The worker.
        cpus: How many CPUs its users have to themselves.
    """

    def __init__(self, cluster: Cluster, worker: Worker, cpus: float) -> None:
        self._cluster = cluster
        self.worker = worker
        self.name = worker.name
        self.cpus = cpus
        self.lost: ClientLost | None = None
        self._offset = cluster.clock_of(worker)
        self._users: dict[int, RemoteUser] = {}
        self._outbox: queue.SimpleQueue[Order] = queue.SimpleQueue()
        self._leaving = threading.Event()
        self._here = threading.Event()
        self._over = threading.Event()  # its last word was heard
        self._gone = threading.Event()  # it is not waited for any more
        self._silent = 0  # looks since its last word
        self._ended = False
        share = f"domtune-{secrets.token_hex(8)}"
        self._orders: Queue[list[Order]] = Queue(orders_of(share), client=cluster.client)
        self._words: Queue[list[Word]] = Queue(words_of(share), client=cluster.client)
        latest_s = time.monotonic() + self._offset.ahead_s + _BEGIN_S
        # A function of ours by its name: the worker has the same DomTune, that was looked at.
        self._task = cluster.client.submit(
            supervise,
            share,
            latest_s,
            key=share,
            pure=False,
            retries=0,
            workers=[worker.address],
            allow_other_workers=False,
        )
        self._threads = [
            threading.Thread(target=work, daemon=True, name=f"{word} {worker.name}")
            for work, word in ((self._hear, "words of"), (self._speak, "orders for"), (self._watch, "life of"))
        ]
        # Not waited for: a question to a worker that is gone may hang for half a minute.
        clock = threading.Thread(target=self._watch_clock, daemon=True, name=f"clock of {worker.name}")
        for thread in (*self._threads, clock):
            thread.start()

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
        if not self._here.wait(_BEGIN_S + _PATIENCE_S):
            raise ClusterNotUsable(
                f"{self.worker.title} has not begun within {_BEGIN_S:g} s",
                hint="Does it work on something else? The workers of a load must have nothing else to do.",
            )
        self.refuse_lost()
        _refuse_clock(self.worker, self._offset)

    def start(self, begins: Sequence[Begin], probe: Begin | None) -> list[RemoteUser]:
        """Start users; the extra reader last. The password among a user's parameters goes as data, encrypted by TLS."""
        last = [probe] if probe is not None else []
        users = [RemoteUser(begin, self) for begin in begins] + [RemoteUser(begin, self, probe=True) for begin in last]
        self._users = {user.number: user for user in users}
        for user, begin in zip(users, [*begins, *last], strict=True):
            self._outbox.put((PROBE if user.probe else START, user.number, to_line(begin)))
        return users

    def tell(self, number: int, line: bytes) -> None:
        """Pass a line to a user."""
        self._outbox.put((TELL, number, line))

    def refuse_lost(self) -> None:
        """Raise ClientLost where the worker was lost, or its clock."""
        if self.lost is not None:
            raise ClientLost(str(self.lost), hint=self.lost.hint)

    def _watch_clock(self) -> None:
        """Measure its clock again and again until the end, in a thread of its own."""
        while not self._leaving.wait(_CLOCK_S) and self.lost is None:
            self._look_at_clock()

    def _look_at_clock(self) -> None:
        try:
            later = self._cluster.clock_of(self.worker)
        except ClientLost as lost:  # who is really gone is silent, too
            log.info("%s", lost)
            return
        found = self._offset.followed_by(later)
        if found is None:
            moved_ms = 1000 * abs(later.ahead_s - self._offset.ahead_s)
            self._lose(f"the clock of {self.worker.title} has jumped by {moved_ms:.0f} ms against this computer's")
            return
        self._offset = found
        if self.clock_error_s > MOST_CLOCK_ERROR_S:
            self._lose(_unsure(self.worker, self._offset))
        for user in list(self._users.values()):
            user.align()

    def ask_to_end(self) -> None:
        """Have its users end; never raises."""
        if not self._leaving.is_set():
            self._leaving.set()
            self._outbox.put((END, -1, b""))

    def end(self) -> None:
        """End it, and wait until none of its users can work any more; never raises, may be called twice."""
        if self._ended:
            return
        self.ask_to_end()
        self._ended = True
        self._wait_for_end()
        self._gone.set()
        for thread in self._threads:
            thread.join(2 * _PATIENCE_S)
        _quietly(self._task.cancel)
        for each in (self._orders, self._words):
            _quietly(each.close)

    def _wait_for_end(self) -> None:
        """Wait for its last word. One that is lost and lives on ends its users by itself, as nobody speaks to it."""
        for _ in range(math.ceil(_END_S / BEAT_S)):
            if self._over.wait(BEAT_S) or self._task.done():
                return
            if self.lost is not None and not self._cluster.has(self.worker):
                return  # its users ended with it: their input closed
        log.warning("%s has not said that its users have ended", self.worker.title)

    def _hear(self) -> None:
        """Take what the users say until the last word."""
        while not (self._over.is_set() or self._gone.is_set()):
            try:
                said = self._words.get(timeout=_PATIENCE_S)
            except TimeoutError:
                continue
            except FAILURES as error:
                self._lose(f"{self.worker.title} was lost: its scheduler does not answer any more ({error})")
                return
            self._silent = 0
            self._here.set()
            for number, line in said:
                self._pass_on(number, bytes(line))

    def _watch(self) -> None:
        """See whether it lives, in a thread that asks nobody: an answer of a computer that is gone may never come.

        Looks are counted, not seconds: a computer that stood still has heard nothing, and nobody is gone.
        """
        while not self._over.wait(BEAT_S) and self.lost is None:
            self._silent += self._here.is_set()
            silent_s = self._silent * BEAT_S
            if self._leaving.is_set():
                if silent_s >= _END_S:
                    return
            elif self._task.done():
                self._lose(f"{self.worker.title} was lost: {self._why()}")
            elif silent_s >= _SILENT_S:
                self._lose(f"{self.worker.title} was lost: it has said nothing for {silent_s:g} s")

    def _pass_on(self, number: int, line: bytes) -> None:
        if number in self._users:
            self._users[number].hear(line)
        if number == OVER and not self._leaving.is_set():
            self._lose(f"{self.worker.title} was lost: its users were ended, as {line.decode()}")
        elif number == OVER:
            self._over.set()

    def _why(self) -> str:
        error: BaseException | None = None
        with contextlib.suppress(CancelledError, asyncio.CancelledError, TimeoutError):
            error = self._task.exception(timeout=_PATIENCE_S)
        if error is None:
            return f"its task ended ({self._task.status})"
        return f"its task ended ({type(error).__name__}: {' '.join(str(error).split())[:200]})"

    def _lose(self, why: str) -> None:
        hint = "What it measured with the others is void: never a mean of what is left. Does that computer still run?"
        self.lost = self.lost or ClientLost(why, hint=hint)
        self._here.set()
        for user in list(self._users.values()):
            user.wake()

    def _speak(self) -> None:
        """Pass orders on until the end, all that are there together, and a sign of life where there are none."""
        over = False
        while not (over or self._gone.is_set()):
            orders = self._waiting()
            over = any(order[0] == END for order in orders)
            try:
                self._orders.put(orders, timeout=_END_S)
            except FAILURES as error:
                if not self._leaving.is_set():
                    self._lose(f"{self.worker.title} was lost: it can be told nothing any more ({error})")
                return

    def _waiting(self) -> list[Order]:
        try:
            found = [self._outbox.get(timeout=BEAT_S)]
        except queue.Empty:
            return [(BEAT, -1, b"")]
        with contextlib.suppress(queue.Empty):
            while True:
                found.append(self._outbox.get_nowait())
        return found


def _refuse_clock(worker: Worker, offset: Offset) -> None:
    if offset.error_s > MOST_CLOCK_ERROR_S:
        raise ClusterNotUsable(_unsure(worker, offset), hint="Is the network in between, or that computer, overloaded?")


def _unsure(worker: Worker, offset: Offset) -> str:
    most = f"at most {1000 * MOST_CLOCK_ERROR_S:g} ms are tolerable"
    return f"the clock of {worker.title} is known to {1000 * offset.error_s:.0f} ms only; {most}"


def _quietly(work: Callable[[], object]) -> None:
    """Do something on the way out, whatever the cluster says; it may be gone."""
    try:
        work()
    except (*FAILURES, CancelledError, asyncio.CancelledError) as error:
        log.info("the end of a share: %s", error)
