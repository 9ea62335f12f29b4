"""Operations that users repeat, and the modules that provide them."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import msgspec

from scheduler.loads.user_messages import BeginOrder
from scheduler.model.named_figures import NamedFigure


class OperationResult(msgspec.Struct, frozen=True):
    """Result of an operation, for loads with several kinds of operations.

    Attributes:
        sort: Kind of operation, for example `new-order`.
        counts: False for an operation outside the load's rate: rolled back on purpose, or given up.
        failed: True for an operation that was given up: an error.
        answer: Answer as a word that is the same each time; the totals count each answer.
        figures: Figures of this single operation; only for operations that take long.
    """

    sort: str
    counts: bool = True
    failed: bool = False
    answer: str = ""
    figures: tuple[NamedFigure, ...] = ()


Operation = Callable[[Callable[[], None]], int | OperationResult]
"""Runs one operation to its end. Returns the tuples touched, or the kind and outcome of the operation.
Calls its argument for each repetition."""


@runtime_checkable
class ColdOperation(Protocol):
    """Operation that needs a database with an empty cache each time.

    It starts disconnected, and is called only between `come` and `leave`.
    """

    def come(self, kept_bytes: int) -> None:
        """Connect to the restarted database.

        Args:
            kept_bytes: Bytes of the database's files that stayed in the page cache.

        Raises:
            DatabaseUnreachable: The database cannot be connected.
        """
        ...

    def leave(self) -> None:
        """Disconnect; never raise. A second call does nothing."""
        ...

    def __call__(self, retried: Callable[[], None]) -> int | OperationResult:
        """Run the operation, like every `Operation`."""
        ...


class ConnectUser(Protocol):
    """Function `connect_user(begin)` of the `operation` module of a load kind.

    A user process imports this module, so its imports must be cheap.
    """

    def __call__(self, begin: BeginOrder) -> Operation:
        """Connect one user; return its operation.

        Raises:
            DatabaseUnreachable: The database cannot be connected.
        """
        ...
