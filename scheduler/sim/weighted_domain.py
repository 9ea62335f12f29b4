"""Weight and cap of a domain, and constants that Xen's weighing schedulers share."""

import msgspec

RATE_LIMIT_US = 1_000.0  # no domain is preempted before this


class WeightedDomain(msgspec.Struct, frozen=True):
    """Weight and cap of a domain.

    Attributes:
        weight: >= 1.
        cap_frac: Fraction of one CPU; 0 means no cap.
    """

    weight: int
    cap_frac: float = 0.0
