"""What one user did, second by second: noted by the thread that works, counted by the one that reports."""

import math
import threading
import time
from collections import Counter

from scheduler.loads.latency import bucket_of
from scheduler.loads.operation import OperationResult
from scheduler.loads.user_messages import SecondReport, UserTotals
from scheduler.model.named_figures import NamedFigure


class OperationTally:
    """Counts operations by the second in which they completed.

    Attributes:
        ahead_s: What the monotonic clock is ahead of the one that seconds are told by; 0 on the computer that tells.
    """

    def __init__(self) -> None:
        # Appending is atomic and the cheapest that Python has. Counting each operation at once cost a user some 6 us,
        # a tenth of what the user needs for the operation itself: CPU that the database's clients may lack.
        self._noted: list[tuple[float, float, int | OperationResult]] = []
        self.note = self._noted.append
        """Takes one operation: when it began and ended on the monotonic clock, and its tuples, 1 when all is well, or
        what sort it was."""
        self.ahead_s = 0.0  # of our clock before the one that seconds are told by
        self._lock = threading.Lock()
        self._seconds: dict[int, _SecondTally] = {}
        self._sorts: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        self._retries = 0
        self._reported_retries = 0
        self._tuples = 0
        self._misses = 0
        self._cpu_s = time.process_time()

    def count_retry(self) -> None:
        """Count one operation that has to be repeated."""
        with self._lock:
            self._retries += 1

    def restart(self) -> None:
        """Forget what was not reported yet; totals stay. Called while no operation is in flight."""
        with self._lock:
            self._count_noted()
            self._seconds.clear()
            self._reported_retries = self._retries
            self._cpu_s = time.process_time()

    def report(self, second: int, waiting_s: float) -> SecondReport:
        """Return one second, and with it whatever was recorded late for an earlier one."""
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
        """Return everything since the beginning."""
        with self._lock:
            self._count_noted()
            sorts, answers = dict(self._sorts), dict(self._answers)
            return UserTotals(self._tuples, self._misses, self._retries, sorts=sorts, answers=answers)

    def _count_noted(self) -> None:
        """Count what was noted; more may be noted meanwhile, which stays for the next time."""
        noted, ahead_s = self._noted[:], self.ahead_s
        del self._noted[: len(noted)]
        for began_s, ended_s, done in noted:
            bucket = bucket_of((ended_s - began_s) * 1000.0)
            second = self._seconds.setdefault(math.floor(ended_s - ahead_s), _SecondTally())
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
    """What ended in one second."""

    def __init__(self) -> None:
        self.count = 0
        self.errors = 0
        self.times: dict[int, int] = {}
        self.sorts: dict[str, dict[int, int]] = {}
        self.failures: dict[str, int] = {}
        self.figures: list[NamedFigure] = []

    def add_operation(self, bucket: int, done: OperationResult) -> None:
        """Count an operation of one of several sorts."""
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
        """Count what ended in another one, too."""
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
