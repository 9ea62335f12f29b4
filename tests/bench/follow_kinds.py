"""Two kinds of load for days that change: those of the 2007 paper, of `local:`, and two that differ widely."""

from typing import NamedTuple


class Kind(NamedTuple):
    """What a transaction costs, milliseconds: I/O domain, guest, and waiting that no split changes."""

    io_ms: float
    guest_ms: float
    wait_ms: float = 2.0


Kinds = tuple[Kind, Kind]

PAPER: Kinds = (Kind(0.53, 1.03), Kind(0.99, 3.2))
LOCAL: Kinds = (Kind(0.5, 0.52), Kind(0.56, 0.5))
WIDE: Kinds = (Kind(2.0, 0.7), Kind(0.35, 3.5))


def mixed(kinds: Kinds, part: float) -> Kind:
    """Return the mean transaction where that part of them is of the first kind."""
    return Kind(*(part * first + (1 - part) * second for first, second in zip(*kinds, strict=True)))
