"""The database side of a load that changes its tables: loaded once with copies, restored before each block, checked."""

import abc
from collections.abc import Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import LoadError, SpecError
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.user_messages import UserTotals

State = TypeVar("State")
Dialect = TypeVar("Dialect")


class RestorableTables(abc.ABC, Generic[State, Dialect]):
    """The tables of one load; derive from it and say how they are made, restored and looked at.

    Attributes:
        title: The load as a sentence names it.
        dialects: What is said otherwise on each database that it runs on.
    """

    title: ClassVar[str]
    dialects: Mapping[str, Dialect]

    def __init__(self) -> None:
        self._before: State | None = None

    def preflight(self, session: WorkloadSession) -> None:
        self.dialect(session)
        self.refuse_foreign(session)

    def prepare(self, session: WorkloadSession) -> None:
        there = self.is_loaded(session)
        if not there or self._restore_tables(session):
            flaws = self._make_tables(session)
            if flaws:
                raise LoadError(
                    f"the tables of {self.title} were put in order, but {'; '.join(flaws[:3])}",
                    hint="Does another program write to them?",
                )
        self._before = self.state(session)

    def check(self, session: WorkloadSession, totals: UserTotals) -> LoadCheck:
        if self._before is None:
            raise LoadError(f"{self.title} was checked before it was prepared")
        flaws = self.broken(session)
        return self.after_users(self._before, self.state(session), totals, flaws)

    def dialect(self, session: WorkloadSession) -> Dialect:
        """Return what is said otherwise on the session's database; raises SpecError where the load does not run."""
        if session.database not in self.dialects:
            problem = f"{self.title} does not run on {session.database}"
            raise SpecError("load.database", problem, hint="Take another database.")
        return self.dialects[session.database]

    def _make_tables(self, session: WorkloadSession) -> Sequence[str]:
        """Make the tables; return what is wrong with them."""
        from importlib.metadata import version  # not for each user's process: it starts in a hurry

        self.load(session, version("domtune"))
        flaws = self._restore_tables(session)
        if not flaws:
            self.mark_complete(session)
        return flaws

    def _restore_tables(self, session: WorkloadSession) -> Sequence[str]:
        """Bring the tables back to their copies; return what is wrong with these."""
        self.restore(session)
        return [*self.lacking(session), *self.broken(session)]

    @abc.abstractmethod
    def refuse_foreign(self, session: WorkloadSession) -> None:
        """Raise DatabaseUnsuitable where tables of that name are somebody else's."""

    @abc.abstractmethod
    def is_loaded(self, session: WorkloadSession) -> bool:
        """Return True when our complete data of this size and form are there."""

    @abc.abstractmethod
    def load(self, session: WorkloadSession, version: str) -> None:
        """Make tables, their rows and the copies of these; `version` is this program's, for the marker."""

    @abc.abstractmethod
    def mark_complete(self, session: WorkloadSession) -> None:
        """Say that load and checks went through."""

    @abc.abstractmethod
    def restore(self, session: WorkloadSession) -> None:
        """Bring what transactions changed back to what was loaded."""

    @abc.abstractmethod
    def lacking(self, session: WorkloadSession) -> Sequence[str]:
        """Return which tables have not the rows that they were loaded with, a sentence each."""

    @abc.abstractmethod
    def broken(self, session: WorkloadSession) -> Sequence[str]:
        """Return what breaks the conditions that hold between transactions, a sentence each."""

    @abc.abstractmethod
    def state(self, session: WorkloadSession) -> State:
        """Return what the tables hold that users say they change."""

    @abc.abstractmethod
    def after_users(self, before: State, after: State, totals: UserTotals, flaws: Sequence[str]) -> LoadCheck:
        """Compare the tables with what all users together say they committed, warm-up and tail included."""
