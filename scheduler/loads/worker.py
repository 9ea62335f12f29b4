"""Worker process of one user (`python -m scheduler.loads.worker`).

The first thread works: it draws a key, runs one transaction, waits for the commit, and counts. The second thread obeys
orders from stdin and reports each second on stdout. So a user that is stuck in a starved query still reports. The user
parks as soon as possible, and ends at once when stdin closes.
"""

import contextlib
import gc
import math
import os
import resource
import select
import sys
import threading
import time
from importlib import import_module

from scheduler.databases.unreadable_answers import misread_error
from scheduler.errors import LoadError, SchedulerError
from scheduler.loads.operation import ColdOperation, ConnectUser, Operation
from scheduler.loads.operation_tally import OperationTally
from scheduler.loads.user_messages import (
    AlignClockOrder,
    BeginOrder,
    ColdAnswer,
    DatabaseRestartedOrder,
    FailedAnswer,
    GoOrder,
    ParkedAnswer,
    ParkOrder,
    ReadyAnswer,
    StopOrder,
    UserAnswer,
    UserOrder,
    decode_order,
    encode_line,
)
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.translation import _

# After the end of a second, the working thread may still record; later operations count in the next second.
_AFTER_SECOND_S = 0.02
_MOST_BYTES = 512 << 20  # a user needs 20 MB


class WorkerState:
    """State that both threads share."""

    def __init__(self) -> None:
        self.tally = OperationTally()
        self.waiting_since_s = 0.0  # 0 while no operation is in flight
        self.halt = True  # checked between two operations
        self.leaving = False
        self._go_s = 0.0
        self._asked_to_park = False
        self._kept_bytes: int | None = None
        self._changed = threading.Condition()

    def work(self, operation: Operation) -> None:
        """Repeat the operation until a stop order; raise the operation's errors."""
        while self._wait_for_go():
            if isinstance(operation, ColdOperation):
                self._repeat_cold(operation)
            else:
                self._repeat_operation(operation)
            self.waiting_since_s = 0.0

    def _repeat_operation(self, operation: Operation) -> None:
        tally, clock = self.tally, time.monotonic
        note, retried = tally.note, tally.count_retry
        began_s = clock()
        while not self.halt:
            self.waiting_since_s = began_s
            tuples = operation(retried)
            ended_s = clock()
            note((began_s, ended_s, tuples))
            began_s = ended_s

    def _repeat_cold(self, operation: ColdOperation) -> None:
        """Repeat a cold operation, each time on a new connection."""
        while (kept_bytes := self._wait_for_cold()) is not None:
            operation.come(kept_bytes)
            began_s = self.waiting_since_s = time.monotonic()
            done = operation(self.tally.count_retry)
            self.tally.note((began_s, time.monotonic(), done))
            self.waiting_since_s = 0.0
            operation.leave()

    def _wait_for_cold(self) -> int | None:
        """Ask for a database with an empty cache, and wait.

        Return the bytes that stayed in the cache, or None after a park or stop order.
        """
        with self._changed:
            if self.halt:
                return None
            self._kept_bytes = None
            send_answer(ColdAnswer())
            self._changed.wait_for(lambda: self.halt or self._kept_bytes is not None)
            return None if self.halt else self._kept_bytes

    def cooled(self, kept_bytes: int) -> None:
        """Start the next operation, after the database was restarted."""
        with self._changed:
            self._kept_bytes = kept_bytes
            self._changed.notify()

    def _wait_for_go(self) -> bool:
        """Wait for `go` and its time; return False after a stop order.

        A park order meanwhile is answered as well.
        """
        with self._changed:
            while not self.leaving:
                if self._asked_to_park:
                    self._asked_to_park = False
                    send_answer(ParkedAnswer())
                left_s = None if self.halt else self._go_s - self.now_s()
                if left_s is not None and left_s <= 0:
                    return True
                self._changed.wait(left_s)
            return False

    def now_s(self) -> float:
        """Return the time of the reference clock, seconds."""
        return time.monotonic() - self.tally.ahead_s

    def align(self, ahead_s: float) -> None:
        """Use a reference clock that is so far behind ours."""
        with self._changed:
            self.tally.ahead_s = ahead_s
            self._changed.notify()

    def go(self, at_s: float) -> None:
        """Start at that time."""
        with self._changed:
            self.tally.restart()
            self._go_s, self.halt = at_s, False
            self._changed.notify()

    def stop(self, *, leave: bool) -> None:
        """Hold, or leave, after the current operation."""
        with self._changed:
            self.halt, self.leaving, self._asked_to_park = True, self.leaving or leave, not leave
            self._changed.notify()


class OrderListener:
    """Listener that reads orders and writes one report per second, in a thread."""

    def __init__(self, user: WorkerState) -> None:
        self._user = user
        self._next_second: int | None = None
        self._first_second = 0
        self._buffer = b""

    def run(self) -> None:
        """Obey until stdin closes, then end the process even if the other thread waits."""
        stdin = sys.stdin.fileno()
        while True:
            readable, _, _ = select.select([stdin], [], [], self._next_report_in_s())
            if readable:
                chunk = os.read(stdin, 65_536)
                if not chunk:
                    os._exit(0)
                self._take_orders(chunk)
            self._report_seconds()

    def _next_report_in_s(self) -> float | None:
        if self._next_second is None:
            return None
        return max(0.0, self._next_second + 1 + _AFTER_SECOND_S - self._user.now_s())

    def _take_orders(self, chunk: bytes) -> None:
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        for line in lines:
            self._obey_order(decode_order(line))

    def _obey_order(self, order: UserOrder) -> None:
        match order:
            case AlignClockOrder(ahead_s):
                self._user.align(ahead_s)
            case GoOrder(at_s):
                self._first_second = math.ceil(at_s)
                self._next_second = self._first_second - 1  # the partial second before it is counted but not reported
                self._user.go(at_s)
            case DatabaseRestartedOrder(kept_bytes):
                self._user.cooled(kept_bytes)
            case ParkOrder():
                self._next_second = None
                self._user.stop(leave=False)
            case StopOrder():
                self._next_second = None
                self._user.stop(leave=True)
            case _:
                raise LoadError(_("a second {order} is no order").format(order=type(order).__name__))

    def _report_seconds(self) -> None:
        now_s = self._user.now_s()
        while self._next_second is not None and now_s >= self._next_second + 1 + _AFTER_SECOND_S:
            since_s = self._user.waiting_since_s
            waiting_s = time.monotonic() - since_s if since_s else 0.0
            report = self._user.tally.report(self._next_second, waiting_s)
            if self._next_second >= self._first_second:
                send_answer(report)
            self._next_second += 1


_output = threading.Lock()


def send_answer(answer: UserAnswer) -> None:
    """Write one line; end the process when its reader has ended."""
    line = encode_line(answer)
    try:
        with _output:
            os.write(sys.stdout.fileno(), line)
    except OSError:
        os._exit(0)


def _end_process(arguments: threading.ExceptHookArgs) -> None:
    """Print the error that stopped the listener, and end the process.

    Without a listener, the process could neither report nor be ended.
    """
    threading.__excepthook__(arguments)
    os._exit(70)  # EX_SOFTWARE, sysexits.h


def main() -> int:
    """Run one user; return the exit status."""
    threading.excepthook = _end_process
    _limit_memory()
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as stdin:  # unbuffered, to read only this line
        line = stdin.readline()
    if not line:
        return 0
    user = WorkerState()
    try:
        begin = _decode_first_order(line)
        if begin.cpus:
            os.sched_setaffinity(0, begin.cpus)
        threading.Thread(target=OrderListener(user).run, daemon=True, name="listener").start()
        connect_user: ConnectUser = import_module(LOAD_KINDS[begin.kind].operation).connect_user
        operation = connect_user(begin)
        gc.collect()
        gc.freeze()
        gc.disable()  # the loop creates no cycles, and a collection would be a pause
        send_answer(ReadyAnswer())
        user.work(operation)
        send_answer(user.tally.totals())
    except SchedulerError as error:
        send_answer(FailedAnswer(str(error), error.hint, type(error).__name__))
        return 1
    except Exception as error:  # noqa: BLE001 - the last resort: the pool has no other report of it
        reported = misread_error(_("a statement"), error)
        send_answer(FailedAnswer(str(reported), reported.hint, type(reported).__name__))
        return 1
    return 0


def _decode_first_order(line: bytes) -> BeginOrder:
    begin = decode_order(line)
    if not isinstance(begin, BeginOrder):
        raise LoadError(_("the first order was {begin}").format(begin=type(begin).__name__))
    return begin


def _limit_memory() -> None:
    """Limit our memory: an endless answer of a server must end this process only."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    least = min((each for each in (soft, hard, _MOST_BYTES) if each != resource.RLIM_INFINITY), default=_MOST_BYTES)
    resource.setrlimit(resource.RLIMIT_DATA, (least, hard))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
