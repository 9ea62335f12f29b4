"""The database side of a load that changes its tables: loaded once with copies, restored before each block, checked."""

import abc
from collections.abc import Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from scheduler.databases.base import Session
from scheduler.errors import LoadError, SpecError
from scheduler.loads.base import LoadCheck
from scheduler.loads.orders import Totals

State = TypeVar("State")
Dialect = TypeVar("Dialect")


class KeptTables(abc.ABC, Generic[State, Dialect]):
    """The tables of one load; derive from it and say how they are made, restored and looked at.

    Attributes:
        title: The load as a sentence names it.
        dialects: What is said otherwise on each database that it runs on.
    """

    title: ClassVar[str]
    dialects: Mapping[str, Dialect]

    def __init__(self) -> None:
        self._before: State | None = None

    def preflight(self, session: Session) -> None:
        self.dialect(session)
        self.refuse_foreign(session)

    def prepare(self, session: Session) -> None:
        there = self.is_loaded(session)
        if not there or self._restored(session):
            flaws = self._made(session)
            if flaws:
                raise LoadError(
                    f"the tables of {self.title} were put in order, but {'; '.join(flaws[:3])}",
                    hint="Does another program write to them?",
                )
        self._before = self.state(session)

    def check(self, session: Session, totals: Totals) -> LoadCheck:
        if self._before is None:
            raise LoadError(f"{self.title} was checked before it was prepared")
        flaws = self.broken(session)
        return self.after_users(self._before, self.state(session), totals, flaws)

    def dialect(self, session: Session) -> Dialect:
        """Return what is said otherwise on the session's database; raises SpecError where the load does not run."""
        if session.database not in self.dialects:
            problem = f"{self.title} does not run on {session.database}"
            raise SpecError("load.database", problem, hint="Take another database.")
        return self.dialects[session.database]

    def _made(self, session: Session) -> Sequence[str]:
        """Make the tables; return what is wrong with them."""
        from importlib.metadata import version  # not for each user's process: it starts in a hurry

        self.load(session, version("domtune"))
        flaws = self._restored(session)
        if not flaws:
            self.mark_complete(session)
        return flaws

    def _restored(self, session: Session) -> Sequence[str]:
        """Bring the tables back to their copies; return what is wrong with these."""
        self.restore(session)
        return [*self.lacking(session), *self.broken(session)]

    @abc.abstractmethod
    def refuse_foreign(self, session: Session) -> None:
        """Raise DatabaseUnsuitable where tables of that name are somebody else's."""

    @abc.abstractmethod
    def is_loaded(self, session: Session) -> bool:
        """Return True when our complete data of this size and form are there."""

    @abc.abstractmethod
    def load(self, session: Session, version: str) -> None:
        """Make tables, their rows and the copies of these; `version` is this program's, for the marker."""

    @abc.abstractmethod
    def mark_complete(self, session: Session) -> None:
        """Say that load and checks went through."""

    @abc.abstractmethod
    def restore(self, session: Session) -> None:
        """Bring what transactions changed back to what was loaded."""

    @abc.abstractmethod
    def lacking(self, session: Session) -> Sequence[str]:
        """Return which tables have not the rows that they were loaded with, a sentence each."""

    @abc.abstractmethod
    def broken(self, session: Session) -> Sequence[str]:
        """Return what breaks the conditions that hold between transactions, a sentence each."""

    @abc.abstractmethod
    def state(self, session: Session) -> State:
        """Return what the tables hold that users say they change."""

    @abc.abstractmethod
    def after_users(self, before: State, after: State, totals: Totals, flaws: Sequence[str]) -> LoadCheck:
        """Compare the tables with what all users together say they committed, warm-up and tail included."""
