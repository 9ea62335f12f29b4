"""The loads protocol: what the engine may ask of load generators.

To add a load: docs/how-to/add-a-load.md. Its laws are in `tests/contract/loads_contract.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from scheduler.model.named_figures import NamedFigure
from scheduler.model.setting import DEFAULT_OPTIONS, RunOptions
from scheduler.model.split import DomainId


class ClientSecond(msgspec.Struct, frozen=True):
    """What the users on one of several computers did in one second.

    Attributes:
        count: Operations completed in it.
        users: Users that reported it, the extra reader not among them.
        cpu_s: CPU seconds of all user processes there.
        cpus: How many CPUs they have to themselves, > 0.
        clock_error_s: By how much that computer's moments may be off, >= 0.
    """

    count: int
    users: int
    cpu_s: float
    cpus: float
    clock_error_s: float


class LoadSecond(msgspec.Struct, frozen=True):
    """What all users of one load did in one whole second of the monotonic clock.

    Attributes:
        second: The second's start, `time.monotonic()` floored; seconds come in order, without gaps.
        count: Operations completed in it (their completion time decides).
        histogram: Service times: log-spaced bucket index to count (see `loads/latency.py`); empty where they are not
            measured.
        told_ms: Service times as a program tells them, where it has no histogram: `p50`, `p95`, `p99`, or `latency`
            where it does not say which.
        errors: Operations that failed.
        retries: Operations repeated after a serialization failure or deadlock.
        busiest_cpu_frac: CPU seconds per second of the busiest user process, of an engine its thread, 0..1.
        cpu_s: CPU seconds of all user processes together.
        probe_count: Operations of the probe reader; None when there is none.
        missing_users: Users that did not report this second within the grace time.
        sorts: Sort of operation to its service times, where the load has several; those that do not count included.
        failures: Sort of those that failed, to how many, where the load has several.
        figures: What was measured of operations that ended in it, each by itself.
        clients: Name of a computer to what its users did of it; empty where all run on this one.
        guests: Guest to what its users did in it, where there are two; the figures above are those of the first loaded
            one, but failed and repeated operations, missing users and CPU seconds of both.
    """

    second: int
    count: int
    histogram: Mapping[int, int] = {}
    errors: int = 0
    retries: int = 0
    busiest_cpu_frac: float = 0.0
    cpu_s: float = 0.0
    probe_count: int | None = None
    missing_users: int = 0
    sorts: Mapping[str, Mapping[int, int]] = {}
    failures: Mapping[str, int] = {}
    figures: tuple[NamedFigure, ...] = ()
    told_ms: Mapping[str, float] = {}
    clients: Mapping[str, ClientSecond] = {}
    guests: "Mapping[DomainId, LoadSecond]" = {}


class LoadCheck(msgspec.Struct, frozen=True):
    """Whether the database holds what the users say they did, as a sentence with figures."""

    passed: bool
    text: str


class CanRunWorkload(Protocol):
    """What runs of one load while others run beside it: each step is taken by all members of a mix in turn."""

    def prepare(self) -> None:
        """Bring the load's tables into their starting state; called while no user runs and nothing is limited."""
        ...

    def connect(self) -> None:
        """Start the users, and return when all are connected: none works yet."""
        ...

    def go(self) -> None:
        """Let all users work from one moment on, and return when it has come."""
        ...

    def poll(self) -> Sequence[LoadSecond]:
        """Return the seconds that became complete since the last call; never waits. Raises LoadDied."""
        ...

    def park(self) -> None:
        """Hold the users between two operations, connections kept."""
        ...

    def unpark(self) -> None:
        """Let parked users go on."""
        ...

    def halt(self) -> None:
        """Stop the users, and keep what they say they did. Raises LoadDied."""
        ...

    def check(self) -> LoadCheck | None:
        """Compare the tables with what the halted users said; None where none ran. Raises LoadError."""
        ...

    def end(self) -> None:
        """End every process; never raises, may be called twice."""
        ...


@runtime_checkable
class SupportsMixes(Protocol):
    """Loads several of which can run at a time."""

    def runner_for(self, name: str, how: RunOptions = DEFAULT_OPTIONS) -> CanRunWorkload:
        """Return what runs of one load of a mix, nothing started yet; what ran of it before is ended."""
        ...


@runtime_checkable
class SupportsColdDatabase(Protocol):
    """Users, or loads, of whom some may want a database that remembers nothing before they go on."""

    @property
    def cold(self) -> bool:
        """True while a user waits for that, disconnected."""
        ...

    def cooled(self, kept_bytes: int) -> None:
        """Let those users go on: it was started anew, and so much of its files stayed in memory."""
        ...


class LoadGenerators(Protocol):
    """All loads of a sweep; one at a time runs by these methods, several as `SupportsMixes` says."""

    def preflight(self) -> Mapping[str, str]:
        """Connect, refuse what must not be used, return versions (database, driver ...).

        Raises:
            DatabaseUnreachable: Refused, timed out, wrong password, missing database.
            DatabaseUnsuitable: Server too old, or tables of another tool under our names.
        """
        ...

    def deviations(self) -> tuple[str, ...]:
        """Return how the loads differ from the benchmarks they are named after, one sentence each."""
        ...

    def prepare(self, kind: str, how: RunOptions = DEFAULT_OPTIONS) -> None:
        """Bring the load's tables into their starting state; called while no user runs and nothing is limited."""
        ...

    def start(self, kind: str, how: RunOptions = DEFAULT_OPTIONS) -> None:
        """Start the users of one load: connected, then all together; returns when they run.

        Args:
            kind: The load.
            how: How many of them, and by which way.
        """
        ...

    def poll(self) -> Sequence[LoadSecond]:
        """Return the seconds that became complete since the last call; never waits. Raises LoadDied."""
        ...

    def park(self) -> None:
        """Hold the users between two operations, connections kept."""
        ...

    def unpark(self) -> None:
        """Let parked users go on."""
        ...

    def stop(self) -> LoadCheck | None:
        """Stop the users; then check. None when none ran. Raises LoadError when the check cannot be made."""
        ...

    def close(self) -> None:
        """End every process: asked, terminated, killed; never raises, may be called twice."""
        ...
