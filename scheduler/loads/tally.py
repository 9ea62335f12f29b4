"""What one user did, second by second: noted by the thread that works, counted by the one that reports."""

import threading
import time

from scheduler.loads.latency import bucket_of
from scheduler.loads.orders import Report, Totals


class Tally:
    """Counts operations by the second of the monotonic clock in which they completed."""

    def __init__(self) -> None:
        # Appending is atomic and the cheapest that Python has. Counting each operation at once cost a user some 6 us,
        # a tenth of what the user needs for the operation itself: CPU that the database's clients may lack.
        self._noted: list[tuple[float, float, int]] = []
        self.note = self._noted.append
        """Takes one operation: when it began and ended on the monotonic clock, and its tuples, 1 when all is well."""
        self._lock = threading.Lock()
        self._counts: dict[int, int] = {}
        self._histograms: dict[int, dict[int, int]] = {}
        self._retries = 0
        self._reported_retries = 0
        self._tuples = 0
        self._misses = 0
        self._cpu_s = time.process_time()

    def retried(self) -> None:
        """Count one operation that has to be repeated."""
        with self._lock:
            self._retries += 1

    def restart(self) -> None:
        """Forget what was not reported yet; totals stay. Called while no operation is in flight."""
        with self._lock:
            self._count()
            self._counts.clear()
            self._histograms.clear()
            self._reported_retries = self._retries
            self._cpu_s = time.process_time()

    def report(self, second: int, waiting_s: float) -> Report:
        """Return one second, and with it whatever was recorded late for an earlier one."""
        cpu_s = time.process_time()
        with self._lock:
            self._count()
            count, histogram = 0, dict[int, int]()
            for ended in [known for known in self._counts if known <= second]:
                count += self._counts.pop(ended)
                for bucket, times in self._histograms.pop(ended).items():
                    histogram[bucket] = histogram.get(bucket, 0) + times
            retries, self._reported_retries = self._retries - self._reported_retries, self._retries
        spent_s, self._cpu_s = cpu_s - self._cpu_s, cpu_s
        return Report(second, count, histogram, retries, spent_s, waiting_s)

    def totals(self) -> Totals:
        """Return everything since the beginning."""
        with self._lock:
            self._count()
            return Totals(self._tuples, self._misses, self._retries)

    def _count(self) -> None:
        """Count what was noted; more may be noted meanwhile, which stays for the next time."""
        noted = self._noted[:]
        del self._noted[: len(noted)]
        for began_s, ended_s, tuples in noted:
            second, bucket = int(ended_s), bucket_of((ended_s - began_s) * 1000.0)
            self._tuples += tuples
            self._misses += tuples != 1
            self._counts[second] = self._counts.get(second, 0) + tuples
            histogram = self._histograms.setdefault(second, {})
            histogram[bucket] = histogram.get(bucket, 0) + 1
