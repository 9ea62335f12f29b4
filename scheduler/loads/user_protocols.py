"""Protocols for the users of one load: a pool of our own processes, or an engine.

An engine starts users of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from scheduler.loads.load_protocols import LoadSecond
from scheduler.loads.user_lines import ClientComputer
from scheduler.loads.user_messages import BeginOrder, UserAnswer, UserOrder, UserTotals
from scheduler.model.load import LoadSpec


class LoadUsers(Protocol):
    """All users of one load together."""

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of all users that run now."""
        ...

    def connect(self) -> None:
        """Wait until every user is connected.

        Raises:
            LoadError: A user could not connect; the class is that of the user's error.
        """
        ...

    def go(self) -> None:
        """Let all users work, and return when they do.

        `poll` reports the next whole second.
        """
        ...

    def poll(self) -> Sequence[LoadSecond]:
        """Return the seconds that became complete; never wait.

        Raises:
            LoadDied: A user died.
        """
        ...

    def park(self) -> None:
        """Hold all users; wait only a few seconds for late users."""
        ...

    def unpark(self) -> None:
        """Let all users work again.

        Raises:
            LoadDied: A user was never parked.
        """
        ...

    def stop(self) -> UserTotals:
        """Stop all users after their current operations; return their totals.

        Raises:
            LoadDied: A user died.
        """
        ...

    def end(self) -> None:
        """End every process; never raise. A second call does nothing."""
        ...


class PoolUser(Protocol):
    """One user of a pool, on this computer or on another one."""

    probe: bool
    machine: ClientComputer | None
    ready: bool
    parked: bool
    cold: bool
    totals: UserTotals | None

    @property
    def name(self) -> str:
        """Name of the user in messages."""
        ...

    @property
    def pid(self) -> int:
        """Process id; 0 for a user on another computer."""
        ...

    def fileno(self) -> int:
        """Return the file descriptor to select on for answers."""
        ...

    def send(self, order: UserOrder) -> None:
        """Send an order; a lost order is detected by the answers."""
        ...

    def answers(self) -> list[UserAnswer]:
        """Return the answers since the last call; an unexpected end is a `FailedAnswer`.

        Raises:
            ClientLost: The user's computer was lost.
        """
        ...

    def ask_to_end(self) -> None:
        """Make the user end at once; never raise."""
        ...

    def end(self) -> None:
        """End the user, and wait for its end; never raise. A second call does nothing."""
        ...


class UserSite(Protocol):
    """Place where the users of a pool run."""

    @property
    def lead_s(self) -> float:
        """Time from an order until all users can have obeyed it, seconds."""
        ...

    def start(self, begins: Sequence[BeginOrder], probe: BeginOrder | None) -> Sequence[PoolUser]:
        """Start all users.

        Args:
            begins: First orders, one per user.
            probe: First order of the probe reader, which is started last; None for none.

        Raises:
            LoadError: The users could not be started.
            ClientLost: A computer was lost meanwhile.
        """
        ...


class ClientSite(UserSite, Protocol):
    """Other computers, on which the users of a sweep run."""

    def preflight(self, connections: Sequence[Mapping[str, str]]) -> Mapping[str, str]:
        """Check that the load can be made there; return versions.

        Args:
            connections: Parameters for the database drivers.

        Raises:
            ClusterNotUsable: The cluster cannot make the load.
            SpecError: The cluster's description is invalid.
        """
        ...

    def sentence(self) -> str:
        """Return the sentence about the computers for every report."""
        ...

    def close(self) -> None:
        """End all users there, and disconnect; never raise. A second call does nothing."""
        ...


class EngineModule(Protocol):
    """Functions of the `engine` module of a load kind."""

    def open_engine(self, begin: BeginOrder, users: int) -> LoadUsers:
        """Return the users of one load, not started.

        Args:
            begin: First order that a user of ours would have; its `user` is unused.
            users: Number of users, >= 1.
        """
        ...

    def versions(self, load: LoadSpec) -> Mapping[str, str]:
        """Return the name and version of the program.

        Raises:
            LoadError: The program is missing or too old.
            SpecError: The plan does not name the program.
        """
        ...

    def sentences(self, load: LoadSpec) -> tuple[str, ...]:
        """Return sentences for every report, in addition to those of the load's tables."""
        ...
