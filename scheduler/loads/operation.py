"""What a user repeats, and which module provides it for which load."""

from collections.abc import Callable
from typing import Protocol

from scheduler.loads.orders import Begin

Operation = Callable[[Callable[[], None]], int]
"""Runs one operation to its end and returns the tuples touched; calls its argument for each repetition."""

OPERATIONS = {
    "osdb-ir": "scheduler.loads.osdb.ir",
    "osdb-oltp": "scheduler.loads.osdb.oltp",
}
"""Load kind to the module with its `connect_user`; a user process imports it, so its imports must be cheap."""


class ConnectUser(Protocol):
    """What such a module provides: `connect_user(begin)`."""

    def __call__(self, begin: Begin) -> Operation:
        """Connect one user; return what it repeats. Raises DatabaseUnreachable."""
        ...
