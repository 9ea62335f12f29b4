"""The loads protocol: what the engine may ask of load generators.

To add a load: docs/how-to/add-a-load.md. Its laws are in `tests/contract/loads_contract.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from scheduler.model.member import Member
from scheduler.model.named_figures import NamedFigure


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


class LoadCheck(msgspec.Struct, frozen=True):
    """Whether the database holds what the users say they did, as a sentence with figures."""

    passed: bool
    text: str


class MemberRun(Protocol):
    """One load of a trial; each step is taken by all members of the trial in turn."""

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
class SupportsColdDatabase(Protocol):
    """Users of whom some may want a database with nothing in memory before they go on."""

    @property
    def cold(self) -> bool:
        """True while a user waits for that, disconnected."""
        ...

    def cooled(self, kept_bytes: int) -> None:
        """Let those users go on: it was started anew, and so much of its files stayed in memory."""
        ...


class LoadGenerators(Protocol):
    """All loads of a sweep, of which the members of one trial run at a time."""

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

    def member(self, member: Member) -> MemberRun:
        """Return what runs of one member of a trial, nothing started yet; an earlier run of that member is ended."""
        ...

    def close(self) -> None:
        """End every process: asked, terminated, killed; never raises, may be called twice."""
        ...
