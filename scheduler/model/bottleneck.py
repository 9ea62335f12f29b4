"""What limits throughput."""

import enum


class Bottleneck(enum.StrEnum):
    """What limited the throughput of a point."""

    IO = "io"
    GUEST = "guest"
    BOTH = "both"
    CLIENT = "client"
    OTHER = "other"
