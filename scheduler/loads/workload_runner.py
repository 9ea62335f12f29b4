"""Runner of one member of a trial on its database."""

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
from scheduler.translation import _

_UNCHECKED = _("the program's own word: DomTune has no tables to compare it with")


class LoadTables(NamedTuple):
    """Database side of a load with tables of ours."""

    database: DatabaseAccess
    workload: DatabaseWorkload

    def prepare(self, name: str) -> None:
        """Bring the tables of the named load into their initial state.

        Raises:
            LoadError: The tables cannot be prepared.
        """
        with self.database.translated(_("preparing the tables of {name}").format(name=name)):
            self.workload.prepare(self.database.session())


class WorkloadRunner:
    """Users and tables of one member; several members may run at a time.

    Args:
        name: Name of the load in messages.
        tables: Tables of the load; None for a load without tables of ours.
        users_of: Starts the users' processes; raises their errors.
        compare: Called after the tables are prepared. Refuses data that differ from the reference database's, and
            returns sentences about other differences.
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
        """Bring the tables into their initial state, without users and CPU limits.

        Raises:
            LoadError: The tables cannot be prepared.
            SpecError: The data differ from those of the reference database.
        """
        if self._tables is not None:
            self._tables.prepare(self._name)
        self._differences = self._compare()

    def connect(self) -> None:
        """Start the users, and return when all are connected; no user works yet."""
        self.end()
        self._totals = None
        with self._ending_lost_users():
            self._users = self._users_of()
            self._users.connect()

    def go(self) -> None:
        """Let all users work from one common time, and return at that time."""
        with self._ending_lost_users():
            if self._users is not None:
                self._users.go()

    def poll(self) -> Sequence[LoadSecond]:
        """Return the seconds that became complete since the last call; never wait.

        Raises:
            LoadDied: A user died.
        """
        with self._ending_lost_users():
            return self._users.poll() if self._users is not None else ()

    @property
    def cold(self) -> bool:
        """True while a user waits for a database with an empty cache."""
        return isinstance(self._users, SupportsColdDatabase) and self._users.cold

    def cooled(self, kept_bytes: int) -> None:
        """Let the waiting users continue, after the database was restarted."""
        if isinstance(self._users, SupportsColdDatabase):
            self._users.cooled(kept_bytes)

    def park(self) -> None:
        """Hold the users between two operations; keep their connections."""
        with self._ending_lost_users():
            if self._users is not None:
                self._users.park()

    def unpark(self) -> None:
        """Let parked users continue."""
        with self._ending_lost_users():
            if self._users is not None:
                self._users.unpark()

    def halt(self) -> None:
        """Stop the users, and keep their totals.

        Raises:
            LoadDied: A user died.
        """
        if self._users is None:
            return
        try:
            self._totals = self._users.stop()
        finally:
            self.end()

    def check(self) -> LoadCheck | None:
        """Compare the tables with the totals of the halted users; None when no user ran.

        Raises:
            LoadError: The tables cannot be read.
        """
        totals, self._totals = self._totals, None
        if totals is None:
            return None
        if self._tables is None:
            return LoadCheck(passed=True, text=_UNCHECKED)
        database, workload = self._tables
        with database.translated(_("checking the tables of {value}").format(value=self._name)):
            check = workload.check(database.session(), totals)
        return LoadCheck(check.passed, join_sentences(check.text, *self._differences)) if self._differences else check

    def end(self) -> None:
        """End every process; never raise. A second call does nothing."""
        users, self._users = self._users, None
        if users is not None:
            users.end()

    @contextlib.contextmanager
    def _ending_lost_users(self) -> Generator[None]:
        """End all users when a computer was lost: the rest is not the planned load."""
        try:
            yield
        except ClientLost:
            self.end()
            raise
