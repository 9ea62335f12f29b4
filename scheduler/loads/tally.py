"""What one user did, second by second: written by the thread that works, read by the one that reports."""

import threading
import time

from scheduler.loads.latency import bucket_of
from scheduler.loads.orders import Report, Totals


class Tally:
    """Counts operations by the second of the monotonic clock in which they completed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[int, int] = {}
        self._histograms: dict[int, dict[int, int]] = {}
        self._retries = 0
        self._reported_retries = 0
        self._tuples = 0
        self._misses = 0
        self._cpu_s = time.process_time()

    def add(self, began_s: float, ended_s: float, tuples: int) -> None:
        """Count one operation; `tuples` is the number of rows touched, 1 when all is well."""
        second, bucket = int(ended_s), bucket_of((ended_s - began_s) * 1000.0)
        with self._lock:
            self._tuples += tuples
            if tuples != 1:
                self._misses += 1
            if second in self._counts:
                self._counts[second] += tuples
                histogram = self._histograms[second]
            else:
                self._counts[second] = tuples
                self._histograms[second] = histogram = {}
            histogram[bucket] = histogram.get(bucket, 0) + 1

    def retried(self) -> None:
        """Count one operation that has to be repeated."""
        with self._lock:
            self._retries += 1

    def restart(self) -> None:
        """Forget what was not reported yet; totals stay. Called while no operation is in flight."""
        with self._lock:
            self._counts.clear()
            self._histograms.clear()
            self._reported_retries = self._retries
            self._cpu_s = time.process_time()

    def report(self, second: int, waiting_s: float) -> Report:
        """Return one second, and with it whatever was recorded late for an earlier one."""
        cpu_s = time.process_time()
        with self._lock:
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
            return Totals(self._tuples, self._misses, self._retries)
