"""What a user repeats, and which module provides it for which load."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import msgspec

from scheduler.loads.user_messages import BeginOrder
from scheduler.model.named_figures import NamedFigure


class OperationResult(msgspec.Struct, frozen=True):
    """How an operation ended, where a load has several sorts of them.

    Attributes:
        sort: Which sort it was, for example `new-order`.
        counts: False for one that is not in the load's rate, as it was undone on purpose, or given up.
        failed: True for one that was given up: an error.
        answer: What came back, in a word that is the same each time; the totals have how often it did.
        figures: What was measured of it: of one that takes milliseconds, as each is reported by itself.
    """

    sort: str
    counts: bool = True
    failed: bool = False
    answer: str = ""
    figures: tuple[NamedFigure, ...] = ()


Operation = Callable[[Callable[[], None]], int | OperationResult]
"""Runs one operation to its end and returns the tuples touched, or what sort it was and how it ended; calls its
argument for each repetition."""


@runtime_checkable
class ColdOperation(Protocol):
    """An operation before each of which the database is to forget what it has in memory.

    It begins disconnected; called only between `come` and `leave`.
    """

    def come(self, kept_bytes: int) -> None:
        """Connect to the database, which was started anew; raises DatabaseUnreachable.

        Args:
            kept_bytes: What stayed of its files in memory.
        """
        ...

    def leave(self) -> None:
        """Disconnect; never raises, may be called twice."""
        ...

    def __call__(self, retried: Callable[[], None]) -> int | OperationResult:
        """As every operation."""
        ...


class ConnectUser(Protocol):
    """What the module `operation` of a kind provides: `connect_user(begin)`.

    A user process imports it, so its imports must be cheap.
    """

    def __call__(self, begin: BeginOrder) -> Operation:
        """Connect one user; return what it repeats. Raises DatabaseUnreachable."""
        ...
