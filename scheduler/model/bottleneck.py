"""Limits of throughput."""

import enum


class Bottleneck(enum.StrEnum):
    """Part that limited the throughput of a point."""

    IO = "io"
    GUEST = "guest"
    BOTH = "both"
    CLIENT = "client"
    OTHER = "other"
