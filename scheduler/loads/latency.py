"""Histogram of service times in log-spaced buckets, each 5 % wide.

Histograms are small, and can be merged across users and seconds.
"""

import math
from collections.abc import Mapping

MOST_BUCKET = 600
"""Bucket of the longest plausible service time: 0.001 ms * 1.05^600 is 60 days."""

_LOWEST_MS = 0.001
_WIDTH = math.log(1.05)


def bucket_of(service_time_ms: float) -> int:
    """Return the bucket index of a service time in milliseconds; 0 for 1 us and less."""
    return min(MOST_BUCKET, max(0, int(math.log(max(service_time_ms, _LOWEST_MS) / _LOWEST_MS) / _WIDTH)))


def bucket_middle_ms(bucket: int) -> float:
    """Return the geometric middle of a bucket in milliseconds."""
    return _LOWEST_MS * math.exp((bucket + 0.5) * _WIDTH)


def quantile_ms(histogram: Mapping[int, int], quantile: float) -> float | None:
    """Return a quantile of merged buckets in milliseconds; None without any count.

    Args:
        histogram: Bucket index to count.
        quantile: In (0, 1]; the smallest value that at least this share does not exceed (nearest rank).
    """
    total = sum(histogram.values())
    rank = math.ceil(quantile * total)
    below = 0
    for bucket in sorted(histogram):
        below += histogram[bucket]
        if below >= rank and total:
            return bucket_middle_ms(bucket)
    return None
