"""What a user repeats, and which module provides it for which load."""

from collections.abc import Callable
from typing import Protocol

from scheduler.loads.orders import Begin

Operation = Callable[[Callable[[], None]], int]
"""Runs one operation to its end and returns the tuples touched; calls its argument for each repetition."""


class ConnectUser(Protocol):
    """What the module `operation` of a kind provides: `connect_user(begin)`.

    A user process imports it, so its imports must be cheap.
    """

    def __call__(self, begin: Begin) -> Operation:
        """Connect one user; return what it repeats. Raises DatabaseUnreachable."""
        ...
