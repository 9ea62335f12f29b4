"""What the pool asks of the users of one load: a crew of our own processes, or an engine, which brings its own."""

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

    def stop(self) -> UserTotals:
        """Stop everyone after the current operation; return what all did. Raises LoadDied."""
        ...

    def end(self) -> None:
        """End every process; never raises, may be called twice."""
        ...


class PoolUser(Protocol):
    """One user of a crew, on this computer or on another one."""

    probe: bool
    machine: ClientComputer | None
    ready: bool
    parked: bool
    cold: bool
    totals: UserTotals | None

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    @property
    def pid(self) -> int:
        """Process id; 0 where it runs on another computer."""
        ...

    def fileno(self) -> int:
        """Return what to select on for answers."""
        ...

    def send(self, order: UserOrder) -> None:
        """Give an order; that it cannot be taken shows in the answers."""
        ...

    def answers(self) -> list[UserAnswer]:
        """Return what it said since the last call; an unexpected end is a `Failed`. Raises ClientLost."""
        ...

    def ask_to_end(self) -> None:
        """Have it end at once; never raises."""
        ...

    def end(self) -> None:
        """End it, and wait for that; never raises, may be called twice."""
        ...


class UserSite(Protocol):
    """Where a crew's users run."""

    @property
    def lead_s(self) -> float:
        """From an order to the moment when all can have obeyed it."""
        ...

    def start(self, begins: Sequence[BeginOrder], probe: BeginOrder | None) -> Sequence[PoolUser]:
        """Start all users, the extra reader last, or none.

        Raises:
            LoadError: They could not be started.
            ClientLost: A computer was lost meanwhile.
        """
        ...


class ClientSite(UserSite, Protocol):
    """Other computers than this one, on which a sweep's users run."""

    def preflight(self, connections: Sequence[Mapping[str, str]]) -> Mapping[str, str]:
        """Look whether the load can be made there; return versions. Raises ClusterNotUsable, SpecError."""
        ...

    def sentence(self) -> str:
        """Return what every report says of them."""
        ...

    def close(self) -> None:
        """End what runs there, and leave; never raises, may be called twice."""
        ...


class EngineModule(Protocol):
    """What the module `engine` of a kind provides."""

    def open_engine(self, begin: BeginOrder, users: int) -> LoadUsers:
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
