"""Protocols of load generators, as used by the engine.

To add a load, see docs/developers/add-a-load.md. `tests/contract/loads_contract.py` tests every implementation.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from scheduler.model.member import Member
from scheduler.model.named_figures import NamedFigure


class ClientSecond(msgspec.Struct, frozen=True):
    """Work of the users on one of several computers in one second.

    Attributes:
        count: Operations completed in the second.
        users: Users that reported the second, without the probe reader.
        cpu_s: CPU seconds of all user processes of the computer.
        cpus: Number of CPUs for the users only, > 0.
        clock_error_s: Largest error of the computer's times, seconds, >= 0.
    """

    count: int
    users: int
    cpu_s: float
    cpus: float
    clock_error_s: float


class LoadSecond(msgspec.Struct, frozen=True):
    """Work of all users of one load in one whole second of the monotonic clock.

    Attributes:
        second: Start of the second, `time.monotonic()` rounded down; seconds come in order, without gaps.
        count: Operations completed in the second (their completion time decides).
        histogram: Service times: log-spaced bucket index to count (see `loads/latency.py`); empty when not measured.
        reported_ms: Service times that a program reports, milliseconds, without a histogram: `p50`, `p95`, `p99`, or
            `latency` of an unknown kind.
        errors: Operations that failed.
        retries: Operations repeated after a serialization failure or deadlock.
        busiest_cpu_frac: CPU seconds per second of the busiest user process, or of an engine's busiest thread, 0..1.
        cpu_s: CPU seconds of all user processes together.
        probe_count: Operations of the probe reader; None without a probe reader.
        missing_users: Users that did not report this second within the grace time.
        sorts: Kind of operation to its service times, for loads with several kinds; includes kinds outside the rate.
        failures: Kind of operation to the number of failures, for loads with several kinds.
        figures: Figures of operations that ended in the second, each operation separately.
        clients: Name of a computer to the work of its users; empty when all users run on this computer.
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
    reported_ms: Mapping[str, float] = {}
    clients: Mapping[str, ClientSecond] = {}


class LoadCheck(msgspec.Struct, frozen=True):
    """Result of comparing the database with the users' totals, as a sentence."""

    passed: bool
    text: str


class MemberRun(Protocol):
    """One load of a trial; all members of the trial take each step together."""

    def prepare(self) -> None:
        """Bring the load's tables into their initial state, without users and CPU limits."""
        ...

    def connect(self) -> None:
        """Start the users, and return when all are connected; no user works yet."""
        ...

    def go(self) -> None:
        """Let all users work from one common time, and return at that time."""
        ...

    def poll(self) -> Sequence[LoadSecond]:
        """Return the seconds that became complete since the last call; never wait.

        Raises:
            LoadDied: A user died.
        """
        ...

    def park(self) -> None:
        """Hold the users between two operations; keep their connections."""
        ...

    def unpark(self) -> None:
        """Let parked users continue."""
        ...

    def halt(self) -> None:
        """Stop the users, and keep their totals.

        Raises:
            LoadDied: A user died.
        """
        ...

    def check(self) -> LoadCheck | None:
        """Compare the tables with the totals of the halted users; None when no user ran.

        Raises:
            LoadError: The tables cannot be read.
        """
        ...

    def end(self) -> None:
        """End every process; never raise. A second call does nothing."""
        ...


@runtime_checkable
class SupportsColdDatabase(Protocol):
    """Users that can need a database with an empty cache before they continue."""

    @property
    def cold(self) -> bool:
        """True while a disconnected user waits for a cold database."""
        ...

    def cooled(self, kept_bytes: int) -> None:
        """Let the waiting users continue, after the database was restarted.

        Args:
            kept_bytes: Bytes of the database's files that stayed in the page cache.
        """
        ...


class LoadGenerators(Protocol):
    """All loads of a sweep; the members of one trial run at a time."""

    def preflight(self) -> Mapping[str, str]:
        """Connect, refuse unsuitable databases, and return versions by name.

        Raises:
            DatabaseUnreachable: Refused, timed out, wrong password, or missing database.
            DatabaseUnsuitable: The server is too old, or tables of another tool have our names.
        """
        ...

    def differences(self) -> tuple[str, ...]:
        """Return the differences between the loads and their benchmarks, as sentences."""
        ...

    def member(self, member: Member) -> MemberRun:
        """Return the run of one member of a trial, not started.

        An earlier run of the member is ended.
        """
        ...

    def close(self) -> None:
        """End every process: ask, terminate, kill; never raise.

        A second call does nothing.
        """
        ...
