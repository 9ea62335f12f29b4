"""What a weighing scheduler is told of a domain."""

import msgspec


class Weighted(msgspec.Struct, frozen=True):
    """What a domain is worth.

    Attributes:
        weight: >= 1.
        cap_frac: Of one CPU; 0 means no cap.
    """

    weight: int
    cap_frac: float = 0.0
