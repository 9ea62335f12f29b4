"""Tally of one user's operations, second by second.

The working thread notes operations, and the reporting thread counts them.
"""

import math
import threading
import time
from collections import Counter, defaultdict

from scheduler.loads.latency import bucket_of
from scheduler.loads.operation import OperationResult
from scheduler.loads.user_messages import SecondReport, UserTotals
from scheduler.model.named_figures import NamedFigure


class OperationTally:
    """Count of operations by the second in which they completed.

    Attributes:
        ahead_s: Time by which our monotonic clock is ahead of the reference clock, seconds; 0 on the pool's computer.
    """

    def __init__(self) -> None:
        # Appending is atomic and cheap in Python. Counting each operation at once took a user about 6 us, a tenth
        # of the CPU of the operation itself, and clients may lack CPU.
        self._noted: list[tuple[float, float, int | OperationResult]] = []
        self.note = self._noted.append
        """Takes one operation: its start and end on the monotonic clock, seconds, and its result: the tuples touched
        (normally 1) or an `OperationResult`."""
        self.ahead_s = 0.0  # our clock minus the reference clock
        self._lock = threading.Lock()
        self._seconds: defaultdict[int, _SecondTally] = defaultdict(_SecondTally)  # makes a tally only for a new second
        self._sorts: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        self._retries = 0
        self._reported_retries = 0
        self._tuples = 0
        self._misses = 0
        self._cpu_s = time.process_time()

    def count_retry(self) -> None:
        """Count one operation that must be repeated."""
        with self._lock:
            self._retries += 1

    def restart(self) -> None:
        """Discard operations that were not reported yet; keep the totals.

        Call this only while no operation is in flight.
        """
        with self._lock:
            self._count_noted()
            self._seconds.clear()
            self._reported_retries = self._retries
            self._cpu_s = time.process_time()

    def report(self, second: int, waiting_s: float) -> SecondReport:
        """Return one second, with operations of earlier seconds that were recorded late.

        Args:
            second: Start of the second on the reference clock.
            waiting_s: Time that the current operation has been waiting, seconds.
        """
        cpu_s = time.process_time()
        with self._lock:
            self._count_noted()
            all_of_it = _SecondTally()
            for ended in [known for known in self._seconds if known <= second]:
                all_of_it.add(self._seconds.pop(ended))
            retries, self._reported_retries = self._retries - self._reported_retries, self._retries
        spent_s, self._cpu_s = cpu_s - self._cpu_s, cpu_s
        found = all_of_it
        return SecondReport(
            second,
            found.count,
            found.times,
            retries,
            spent_s,
            waiting_s,
            found.errors,
            found.sorts,
            failures=found.failures,
            figures=tuple(found.figures),
        )

    def totals(self) -> UserTotals:
        """Return the totals since the start."""
        with self._lock:
            self._count_noted()
            sorts, answers = dict(self._sorts), dict(self._answers)
            return UserTotals(self._tuples, self._misses, self._retries, sorts=sorts, answers=answers)

    def _count_noted(self) -> None:
        """Count the noted operations; operations noted meanwhile stay for the next call."""
        noted, ahead_s = self._noted[:], self.ahead_s
        del self._noted[: len(noted)]
        for began_s, ended_s, done in noted:
            bucket = bucket_of((ended_s - began_s) * 1000.0)
            second = self._seconds[math.floor(ended_s - ahead_s)]
            if isinstance(done, OperationResult):
                self._sorts[done.sort] += 1
                if done.answer:
                    self._answers[done.answer] += 1
                self._tuples += done.counts
                second.add_operation(bucket, done)
                continue
            self._tuples += done
            self._misses += done != 1
            second.count += done
            second.times[bucket] = second.times.get(bucket, 0) + 1


class _SecondTally:
    """Operations that ended in one second."""

    def __init__(self) -> None:
        self.count = 0
        self.errors = 0
        self.times: dict[int, int] = {}
        self.sorts: dict[str, dict[int, int]] = {}
        self.failures: dict[str, int] = {}
        self.figures: list[NamedFigure] = []

    def add_operation(self, bucket: int, done: OperationResult) -> None:
        """Count an operation of one of several kinds."""
        times = self.sorts.setdefault(done.sort, {})
        times[bucket] = times.get(bucket, 0) + 1
        self.figures += done.figures
        if done.failed:
            self.errors += 1
            self.failures[done.sort] = self.failures.get(done.sort, 0) + 1
        if done.counts:
            self.count += 1
            self.times[bucket] = self.times.get(bucket, 0) + 1

    def add(self, other: "_SecondTally") -> None:
        """Add the operations of another tally."""
        self.count += other.count
        self.errors += other.errors
        self.figures += other.figures
        _add_counts(self.times, other.times)
        for sort, many in other.failures.items():
            self.failures[sort] = self.failures.get(sort, 0) + many
        for sort, times in other.sorts.items():
            _add_counts(self.sorts.setdefault(sort, {}), times)


def _add_counts(times: dict[int, int], others: dict[int, int]) -> None:
    for bucket, many in others.items():
        times[bucket] = times.get(bucket, 0) + many
