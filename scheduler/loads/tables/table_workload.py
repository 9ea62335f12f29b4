"""Database side of a load with its own tables: load once, restore, check.

Tables are restored before each block of trials and checked after it.
"""

import abc
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import LoadError, SpecError
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.tables import table_marker
from scheduler.loads.tables.table_marker import run_statements
from scheduler.loads.tables.table_set import TableSet
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.spec import RunSpec
from scheduler.translation import _

log = logging.getLogger(__name__)

State = TypeVar("State")


class TableWorkload(abc.ABC, Generic[State]):
    """Tables of one load. A subclass describes its tables and compares their states.

    Args:
        load: The load of the plan.
        title: Name of the load in sentences.
    """

    def __init__(self, load: LoadSpec, title: str) -> None:
        self.load = load
        self.title = title
        self._before: State | None = None

    def preflight(self, session: WorkloadSession) -> None:
        table_marker.refuse_foreign_tables(session, self.tables(session))

    def prepare(self, session: WorkloadSession) -> None:
        tables = self.tables(session)
        if table_marker.is_complete(session, tables):
            self._before, flaws = self._restore_tables(session, tables)
            if not flaws:
                return
        self._before = None
        self.load_tables(session, tables)
        before, flaws = self._restore_tables(session, tables)
        if flaws:
            raise LoadError(
                _("the tables of {value} were loaded and restored, but {flaws}").format(
                    value=self.title, flaws="; ".join(flaws[:3])
                ),
                hint=_("Does another program write to them?"),
            )
        table_marker.set_marker_state(session, tables, table_marker.COMPLETE)
        self._before = before

    def check(self, session: WorkloadSession, totals: UserTotals) -> LoadCheck:
        if self._before is None:
            raise LoadError(_("{value} was checked before it was prepared").format(value=self.title))
        after = self.state(session)
        return self.compare(self._before, after, totals, condition_flaws(session, self.tables(session)))

    def tables(self, session: WorkloadSession) -> TableSet:
        """Return the tables on the session's database.

        Raises:
            SpecError: The load does not run on this kind of database.
        """
        if session.database not in LOAD_KINDS[self.load.kind].databases:
            problem = _("{value} does not run on {database}").format(value=self.title, database=session.database)
            raise SpecError("load.database", problem, hint=_("Take another database."))
        return self.table_set(session.database)

    def load_tables(self, session: WorkloadSession, tables: TableSet) -> None:
        """Create the tables with their rows; drop the tables of an interrupted load first.

        Args:
            session: Session on the database.
            tables: Tables of the load.

        Raises:
            LoadError: The rows cannot be made or loaded.
        """
        rows = self.row_source()
        self.begin_tables(session, tables)
        for table, columns in tables.columns.items():
            log.info("loading %s of %s", table, self.title)
            session.load(tables.at(f"@.{table}"), columns, rows(table), tables.delimiter)
        run_statements(session, tables, *tables.finish)
        _settle_tables(session, tables, tables.settle_loaded)

    def begin_tables(self, session: WorkloadSession, tables: TableSet, versions: Mapping[str, str] = {}) -> None:
        """Create the empty tables.

        Args:
            session: Session on the database.
            tables: Tables of the load.
            versions: Program to version, of programs that make the rows.
        """
        from importlib.metadata import version  # not in each user's process, which must start quickly

        table_marker.begin_tables(session, tables, {"version": version("domtune"), **versions})

    def start_flaws(self, session: WorkloadSession, state: State) -> Sequence[str]:
        """Return the flaws of restored tables, one sentence each.

        Args:
            session: Session on the database.
            state: State of the tables.
        """
        tables = self.tables(session)
        return [*row_count_flaws(session, tables), *condition_flaws(session, tables)]

    def row_source(self) -> Callable[[str], Iterable[bytes]]:
        """Return a function from table name to chunks of whole CSV lines.

        A kind whose tables are filled by a program overrides `load_tables` instead.

        Raises:
            LoadError: The rows cannot be made.
        """
        raise NotImplementedError(self.title)

    @abc.abstractmethod
    def table_set(self, database: str) -> TableSet:
        """Return the tables on a kind of database."""

    @abc.abstractmethod
    def state(self, session: WorkloadSession) -> State:
        """Return the figures of the tables that a check compares."""

    @abc.abstractmethod
    def compare(self, before: State, after: State, totals: UserTotals, flaws: Sequence[str]) -> LoadCheck:
        """Compare the tables with the work that the users report.

        Args:
            before: State of the tables when the users started.
            after: State of the tables when the users had stopped.
            totals: Totals of all users, warm-up and tail included.
            flaws: Violated conditions, one sentence each.
        """

    @abc.abstractmethod
    def differences(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        """Return the differences from the load's benchmark, with values of the run.

        Args:
            spec: Plan of the run.
            facts: Properties of the host.
            versions: Name of a program or server setting to its version or value.
        """

    def _restore_tables(self, session: WorkloadSession, tables: TableSet) -> tuple[State, Sequence[str]]:
        """Restore the tables; return their state and its flaws."""
        restore_tables(session, tables)
        state = self.state(session)
        return state, self.start_flaws(session, state)


def restore_tables(session: WorkloadSession, tables: TableSet) -> None:
    """Restore the rows that transactions changed, in one transaction.

    Args:
        session: Session on the database.
        tables: Tables of the load.
    """
    if tables.restore:
        with session.transaction():
            run_statements(session, tables, *tables.restore)
    _settle_tables(session, tables, tables.settle_restored)


def row_count_flaws(session: WorkloadSession, tables: TableSet) -> list[str]:
    """Return the tables with an unexpected number of rows, one sentence each.

    Args:
        session: Session on the database.
        tables: Tables of the load.
    """
    flaws: list[str] = []
    for name, wanted in tables.expected_rows.items():
        [(count,)] = session.rows(tables.at(f"SELECT count(*) FROM @.{name}"))
        flaws += (
            [_("{name} has {count} rows, not {wanted}").format(name=name, count=count, wanted=wanted)]
            if int(count) != wanted
            else []
        )
    return flaws


def condition_flaws(session: WorkloadSession, tables: TableSet) -> list[str]:
    """Return the violated conditions, one sentence each.

    Args:
        session: Session on the database.
        tables: Tables of the load.
    """
    found = (condition.flaw(session.rows(tables.at(condition.broken))) for condition in tables.conditions)
    return [flaw for flaw in found if flaw]


def _settle_tables(session: WorkloadSession, tables: TableSet, names: Sequence[str]) -> None:
    """Complete deferred work on the tables before the measurement."""
    if names:
        session.settle([tables.at(f"@.{name}") for name in names])
