"""Supervisor of a share on a worker: starts user processes and passes lines on.

One queue carries orders from the core, the other carries lines from the users. The supervisor and its users end by an
order, after a time without orders, or with the worker. If the worker dies, the users' standard input closes.
"""

import contextlib
import os
import queue
import select
import threading
import time

from distributed import Queue, get_client

from scheduler.errors import LoadDied
from scheduler.loads.cluster.cluster_messages import (
    BEAT_S,
    END_ORDER,
    ORPHANED_S,
    PROBE_ORDER,
    START_ORDER,
    SUPERVISOR_NUMBER,
    TELL_ORDER,
)
from scheduler.loads.user_messages import BeginOrder, FailedAnswer, decode_order, encode_line
from scheduler.loads.user_process import UserProcess
from scheduler.translation import _

SupervisorOrder = tuple[str, int, bytes]
"""Kind of the order (`cluster_messages`), number of the user, and line for the user."""

SupervisorLine = tuple[int, bytes]
"""Number of the sender, and its line."""

_PATIENCE_S = 1.0


def supervise_users(share: str, latest_s: float) -> str:
    """Run the users of one share of a load to their end; return the reason of the end.

    Args:
        share: Name of the share, from which the names of its queues are made.
        latest_s: Latest start, seconds of this computer's monotonic clock. Dask repeats lost tasks on any worker.
            Such a
            repetition is too late, and is refused.

    Raises:
        LoadDied: The start is too late.
    """
    late_s = time.monotonic() - latest_s
    if late_s > 0:
        raise LoadDied(
            _("the share {share} was begun {late_s:.1f} s too late: its worker was busy, or another one lost").format(
                share=share, late_s=late_s
            )
        )
    client = get_client()
    return _ShareSupervisor(
        Queue(orders_queue_name(share), client=client), Queue(answers_queue_name(share), client=client)
    ).run()


def orders_queue_name(share: str) -> str:
    """Return the name of the queue for orders from the core."""
    return f"{share}-orders"


def answers_queue_name(share: str) -> str:
    """Return the name of the queue for lines from the users."""
    return f"{share}-words"


class _ShareSupervisor:
    def __init__(self, orders: "Queue[list[SupervisorOrder]]", words: "Queue[list[SupervisorLine]]") -> None:
        self._orders = orders
        self._words = words
        self._users: dict[int, UserProcess] = {}
        self._taken: queue.SimpleQueue[list[SupervisorOrder]] = queue.SimpleQueue()
        self._ended = ""  # reason of the end; empty while running
        self._woken, self._wake = os.pipe()

    def run(self) -> str:
        listener = threading.Thread(target=self._listen_for_orders, daemon=True, name="orders")
        listener.start()
        try:
            self._words.put([])  # sign of life
            while not self._ended:
                self._exchange_lines()
        finally:
            self._ended = self._ended or _("it broke")
            for user in self._users.values():
                user.ask_to_end()
            for user in self._users.values():
                user.end()
            listener.join()
            os.close(self._woken)
            os.close(self._wake)
        self._words.put([(SUPERVISOR_NUMBER, self._ended.encode())])
        return self._ended

    def _exchange_lines(self) -> None:
        """Wait for lines or orders, at most `BEAT_S`; pass all of them on."""
        talking = [user for user in self._users.values() if not user.over]
        readable, _, _ = select.select([self._woken, *talking], [], [], BEAT_S)
        said: list[SupervisorLine] = []
        for number, user in self._users.items():
            if user in readable:
                said += [(number, encode_line(answer)) for answer in user.answers()]
        if self._woken in readable:
            os.read(self._woken, 1024)
        with contextlib.suppress(queue.Empty):
            while True:
                for order in self._taken.get_nowait():
                    said += self._obey_order(*order)
        self._words.put(said)

    def _obey_order(self, word: str, number: int, line: bytes) -> list[SupervisorLine]:
        """Carry out one order; return the lines to send at once."""
        if word in (START_ORDER, PROBE_ORDER):
            return self._start_user(number, line, probe=word == PROBE_ORDER)
        if word == TELL_ORDER and number in self._users:
            self._users[number].send(decode_order(line))
        if word == END_ORDER:
            self._ended = _("it was stopped")
        return []

    def _start_user(self, number: int, line: bytes, *, probe: bool) -> list[SupervisorLine]:
        begin, why = decode_order(line), _("its first order was another one")
        if isinstance(begin, BeginOrder):
            try:
                self._users[number] = UserProcess(begin, probe=probe)
                return []
            except OSError as error:
                why = str(error)
        return [
            (
                number,
                encode_line(FailedAnswer(_("it could not be started: {why}").format(why=why), "", LoadDied.__name__)),
            )
        ]

    def _listen_for_orders(self) -> None:
        """Receive orders until the end, in a separate thread.

        When receiving ends, the supervisor ends, too.
        """
        why = _("no order can be heard any more")
        try:
            why = self._take_orders()
        finally:
            self._ended = self._ended or why
            os.write(self._wake, b".")

    def _take_orders(self) -> str:
        """Receive orders until there are no more; return the reason."""
        silent = 0  # in waits, not seconds: after a suspend of the computer, the core is still there
        while not self._ended:
            try:
                orders = self._orders.get(timeout=_PATIENCE_S)
            except TimeoutError:
                silent += 1
                if silent * _PATIENCE_S >= ORPHANED_S:
                    return _("no message was received for {orphaned_s:g} s").format(orphaned_s=ORPHANED_S)
                continue
            silent = 0
            self._taken.put([(str(word), int(number), bytes(line)) for word, number, line in orders])
            os.write(self._wake, b".")
            if any(order[0] == END_ORDER for order in orders):
                return _("it was stopped")
        return self._ended
