"""One member of a trial on its database: tables made ready, users run, tables checked."""

import contextlib
from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple

from scheduler.databases.protocols import DatabaseAccess
from scheduler.errors import ClientLost
from scheduler.loads.load_protocols import LoadCheck, LoadSecond, SupportsColdDatabase
from scheduler.loads.user_messages import UserTotals
from scheduler.loads.user_protocols import LoadUsers
from scheduler.loads.workload import DatabaseWorkload
from scheduler.model.sentence_texts import join_sentences

_UNCHECKED = "the program's own word: DomTune has no tables to compare it with"


class LoadTables(NamedTuple):
    """The database side of a load whose tables are ours."""

    database: DatabaseAccess
    workload: DatabaseWorkload

    def prepare(self, name: str) -> None:
        """Bring the tables of the load of that name into their starting state; raises LoadError."""
        with self.database.translated(f"preparing the tables of {name}"):
            self.workload.prepare(self.database.session())


class WorkloadRunner:
    """Users and tables of one member; several may run at a time.

    Args:
        name: What messages call it.
        tables: Its tables; None for one without tables of ours.
        users_of: Starts its users' processes; raises what they meet.
        compare: Called when the tables are prepared: refuses data that differ from those on the database that this one
            is compared with, and returns sentences about what else differs.
    """

    def __init__(
        self,
        name: str,
        tables: LoadTables | None,
        users_of: Callable[[], LoadUsers],
        compare: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._compare = compare
        self._differences: Sequence[str] = ()
        self._name = name
        self._tables = tables
        self._users_of = users_of
        self._users: LoadUsers | None = None
        self._totals: UserTotals | None = None

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the users that run now."""
        return self._users.pids if self._users is not None else ()

    def prepare(self) -> None:
        """Bring the tables into their starting state; called while no user runs and nothing is limited.

        Raises:
            LoadError: The database does not do so.
            SpecError: Its data differ from those on the database that this one is compared with.
        """
        if self._tables is not None:
            self._tables.prepare(self._name)
        self._differences = self._compare()

    def connect(self) -> None:
        """Start the users, and return when all are connected: none works yet."""
        self.end()
        self._totals = None
        with self._ending_lost_users():
            self._users = self._users_of()
            self._users.connect()

    def go(self) -> None:
        """Let all work from one moment on, and return when it has come."""
        with self._ending_lost_users():
            if self._users is not None:
                self._users.go()

    def poll(self) -> Sequence[LoadSecond]:
        """Return the seconds that became complete since the last call; never waits. Raises LoadDied."""
        with self._ending_lost_users():
            return self._users.poll() if self._users is not None else ()

    @property
    def cold(self) -> bool:
        """True while a user waits for a database that remembers nothing."""
        return isinstance(self._users, SupportsColdDatabase) and self._users.cold

    def cooled(self, kept_bytes: int) -> None:
        """Let those users go on."""
        if isinstance(self._users, SupportsColdDatabase):
            self._users.cooled(kept_bytes)

    def park(self) -> None:
        """Hold the users between two operations, connections kept."""
        with self._ending_lost_users():
            if self._users is not None:
                self._users.park()

    def unpark(self) -> None:
        """Let parked users go on."""
        with self._ending_lost_users():
            if self._users is not None:
                self._users.unpark()

    def halt(self) -> None:
        """Stop the users, and keep what they say they did. Raises LoadDied."""
        if self._users is None:
            return
        try:
            self._totals = self._users.stop()
        finally:
            self.end()

    def check(self) -> LoadCheck | None:
        """Compare the tables with what the halted users said; None where none ran. Raises LoadError."""
        totals, self._totals = self._totals, None
        if totals is None:
            return None
        if self._tables is None:
            return LoadCheck(passed=True, text=_UNCHECKED)
        database, workload = self._tables
        with database.translated(f"checking the tables of {self._name}"):
            check = workload.check(database.session(), totals)
        return LoadCheck(check.passed, join_sentences(check.text, *self._differences)) if self._differences else check

    def end(self) -> None:
        """End every process; never raises, may be called twice."""
        users, self._users = self._users, None
        if users is not None:
            users.end()

    @contextlib.contextmanager
    def _ending_lost_users(self) -> Generator[None]:
        """End the users of all computers when one was lost: those that are left are not the load that was asked for."""
        try:
            yield
        except ClientLost:
            self.end()
            raise
