"""What a weighing scheduler is told of a domain, and what Xen's two have in common."""

import msgspec

RATE_LIMIT_US = 1_000.0  # nobody is preempted before this


class WeightedDomain(msgspec.Struct, frozen=True):
    """What a domain is worth.

    Attributes:
        weight: >= 1.
        cap_frac: Of one CPU; 0 means no cap.
    """

    weight: int
    cap_frac: float = 0.0
