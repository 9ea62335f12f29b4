"""What runs on a worker, once for each load: it starts our ordinary user processes there, and passes lines on.

Orders come down through one queue, what the users say goes up through another. It ends, and its users with it, when
it is told to, when nobody has said a word for a while, and when its worker dies: then their standard input closes.
"""

import contextlib
import os
import queue
import select
import threading
import time

from distributed import Queue, get_client

from scheduler.errors import LoadDied
from scheduler.loads.cluster.messages import ALONE_S, BEAT_S, END, OVER, PROBE, START, TELL
from scheduler.loads.orders import Begin, Failed, to_line, to_order
from scheduler.loads.user_process import UserProcess

Order = tuple[str, int, bytes]
"""A word of `messages`, whom it is for, and the line for it."""

Word = tuple[int, bytes]
"""Who said it, and the line."""

_PATIENCE_S = 1.0


def supervise(share: str, latest_s: float) -> str:
    """Run the users of one share of a load until it ends; return why it did.

    Args:
        share: Name of the share; its queues are called after it.
        latest_s: When it must have begun, on this computer's monotonic clock. Dask runs what it lost again, somewhere:
            such a run comes too late, and is refused.

    Raises:
        LoadDied: It is too late.
    """
    late_s = time.monotonic() - latest_s
    if late_s > 0:
        raise LoadDied(f"the share {share} was begun {late_s:.1f} s too late: its worker was busy, or another one lost")
    client = get_client()
    return _Supervisor(Queue(orders_of(share), client=client), Queue(words_of(share), client=client)).run()


def orders_of(share: str) -> str:
    """Return the name of the queue that leads down."""
    return f"{share}-orders"


def words_of(share: str) -> str:
    """Return the name of the queue that leads up."""
    return f"{share}-words"


class _Supervisor:
    def __init__(self, orders: "Queue[list[Order]]", words: "Queue[list[Word]]") -> None:
        self._orders = orders
        self._words = words
        self._users: dict[int, UserProcess] = {}
        self._taken: queue.SimpleQueue[list[Order]] = queue.SimpleQueue()
        self._ended = ""  # why
        self._woken, self._wake = os.pipe()

    def run(self) -> str:
        listener = threading.Thread(target=self._listen, daemon=True, name="orders")
        listener.start()
        try:
            self._words.put([])  # here we are
            while not self._ended:
                self._turn()
        finally:
            self._ended = self._ended or "it broke"
            for user in self._users.values():
                user.ask_to_end()
            for user in self._users.values():
                user.end()
            listener.join()
            os.close(self._woken)
            os.close(self._wake)
        self._words.put([(OVER, self._ended.encode())])
        return self._ended

    def _turn(self) -> None:
        """Wait for lines of users or orders, at most until the next beat; pass all on."""
        talking = [user for user in self._users.values() if not user.over]
        readable, _, _ = select.select([self._woken, *talking], [], [], BEAT_S)
        said: list[Word] = []
        for number, user in self._users.items():
            if user in readable:
                said += [(number, to_line(answer)) for answer in user.answers()]
        if self._woken in readable:
            os.read(self._woken, 1024)
        with contextlib.suppress(queue.Empty):
            while True:
                for order in self._taken.get_nowait():
                    said += self._obey(*order)
        self._words.put(said)

    def _obey(self, word: str, number: int, line: bytes) -> list[Word]:
        """Carry out one order; return what is to be said at once."""
        if word in (START, PROBE):
            return self._start(number, line, probe=word == PROBE)
        if word == TELL and number in self._users:
            self._users[number].send(to_order(line))
        if word == END:
            self._ended = "it was told to"
        return []

    def _start(self, number: int, line: bytes, *, probe: bool) -> list[Word]:
        begin, why = to_order(line), "its first order was another one"
        if isinstance(begin, Begin):
            try:
                self._users[number] = UserProcess(begin, probe=probe)
                return []
            except OSError as error:
                why = str(error)
        return [(number, to_line(Failed(f"it could not be started: {why}", "", LoadDied.__name__)))]

    def _listen(self) -> None:
        """Take orders until the end, in a thread of its own; the end of all words is an order, too."""
        why = "no order can be heard any more"
        try:
            why = self._take()
        finally:
            self._ended = self._ended or why
            os.write(self._wake, b".")

    def _take(self) -> str:
        """Take orders until there are no more; return why."""
        silent = 0  # waits, not seconds: a computer that stood still has heard nothing, and nobody is gone
        while not self._ended:
            try:
                orders = self._orders.get(timeout=_PATIENCE_S)
            except TimeoutError:
                silent += 1
                if silent * _PATIENCE_S >= ALONE_S:
                    return f"nobody has said a word for {ALONE_S:g} s"
                continue
            silent = 0
            self._taken.put([(str(word), int(number), bytes(line)) for word, number, line in orders])
            os.write(self._wake, b".")
            if any(order[0] == END for order in orders):
                return "it was told to"
        return self._ended
