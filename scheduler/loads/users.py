"""What the pool asks of the users of one load: a crew of our own processes, or an engine, which brings its own."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from scheduler.loads.base import LoadSecond
from scheduler.loads.orders import Begin, Totals
from scheduler.model.spec import LoadSpec


class Users(Protocol):
    """All users of one load together."""

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of all that run now."""
        ...

    def connect(self) -> None:
        """Wait until every user is connected; raises what a user met (DatabaseUnreachable ...)."""
        ...

    def go(self) -> None:
        """Let all work, and return when they do: the next whole second is one that `poll` reports."""
        ...

    def poll(self) -> Sequence[LoadSecond]:
        """Return the seconds that became complete; never waits. Raises LoadDied."""
        ...

    def park(self) -> None:
        """Have nobody work; whoever is late is not waited for beyond a few seconds."""
        ...

    def unpark(self) -> None:
        """Let all work again; raises LoadDied when somebody never parked."""
        ...

    def stop(self) -> Totals:
        """Stop everyone after the current operation; return what all did. Raises LoadDied."""
        ...

    def end(self) -> None:
        """End every process; never raises, may be called twice."""
        ...


class EngineModule(Protocol):
    """What the module `engine` of a kind provides."""

    def open_engine(self, begin: Begin, users: int) -> Users:
        """Return the users of one load, nothing started yet.

        Args:
            begin: What a user of ours would be told first; its `user` is of no use here.
            users: How many there are to be.
        """
        ...

    def versions(self, load: LoadSpec) -> Mapping[str, str]:
        """Return name and version of the program. Raises LoadError, SpecError: it is not there, too old, not named."""
        ...

    def sentences(self, load: LoadSpec) -> tuple[str, ...]:
        """Return what every report says of it, beside what its tables' side says."""
        ...
