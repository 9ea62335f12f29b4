"""The osdb loads' side of the database: loaded once, restored before each block, checked after it."""

from collections.abc import Mapping

from scheduler.databases.base import Session
from scheduler.errors import LoadError
from scheduler.loads.base import LoadCheck
from scheduler.loads.orders import Totals
from scheduler.loads.osdb import checks, deviations, loading
from scheduler.loads.osdb.dialects import dialect_of
from scheduler.loads.osdb.schema import Dialect, Tables
from scheduler.model.facts import HostFacts
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec


class OsdbWorkload:
    """One of the two osdb loads on one database.

    Attributes:
        load: The load of the plan.
    """

    def __init__(self, load: LoadSpec) -> None:
        self.load = load
        self._tables = Tables(load.tuples, load.own)
        self._before: checks.State | None = None

    def preflight(self, session: Session) -> None:
        loading.refuse_lacking(session, self._dialect(session))
        loading.refuse_foreign(session, self._tables)

    def prepare(self, session: Session) -> None:
        tables, dialect = self._tables, self._dialect(session)
        if not self._usable(session):
            from importlib.metadata import version  # not for each user's process: it starts in a hurry

            loading.load(session, dialect, tables, version("domtune"))
            flaws = checks.after_load(session, tables)
            if flaws:
                raise LoadError(f"the data just loaded are not right: {'; '.join(flaws[:3])}")
            loading.mark_complete(session, tables)
        loading.restore(session, dialect, tables)
        self._before = checks.state(session, tables)
        if self._before != checks.loaded_state(tables.tuples):
            raise LoadError(f"updates was restored, but holds {self._before}", hint="Does another program write to it?")

    def check(self, session: Session, totals: Totals) -> LoadCheck:
        if self._before is None:
            raise LoadError(f"{self.load.kind} was checked before it was prepared")
        after = checks.state(session, self._tables)
        return checks.after_users(self.load.kind, self._before, after, totals)

    def deviations(self, spec: RunSpec, facts: HostFacts, versions: Mapping[str, str]) -> tuple[str, ...]:
        return deviations.common(self.load, spec, facts, versions)

    def _dialect(self, session: Session) -> Dialect:
        return dialect_of(session.database, self.load.values)

    def _usable(self, session: Session) -> bool:
        """Return True when earlier data may be used again: complete, ours, and their copy unharmed."""
        tables = self._tables
        if not loading.is_loaded(session, self._dialect(session), tables):
            return False
        return checks.state(session, tables, "updates_backup") == checks.loaded_state(tables.tuples)


def open_workload(load: LoadSpec) -> OsdbWorkload:
    """Return the database side of one load."""
    return OsdbWorkload(load)
