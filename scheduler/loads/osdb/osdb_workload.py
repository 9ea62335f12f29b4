"""The osdb loads' side of the database: loaded once, restored before each block, checked after it."""

from collections.abc import Mapping

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import LoadError
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.osdb import osdb_checks, osdb_differences, osdb_loading
from scheduler.loads.osdb.osdb_dialects import osdb_dialect
from scheduler.loads.osdb.osdb_schema import OsdbDialect, OsdbTables
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec


class OsdbWorkload:
    """One of the two osdb loads on one database.

    Attributes:
        load: The load of the plan.
    """

    def __init__(self, load: LoadSpec) -> None:
        self.load = load
        self._tables = OsdbTables(load.tuples, load.own)
        self._before: osdb_checks.UpdateSums | None = None

    def preflight(self, session: WorkloadSession) -> None:
        osdb_loading.refuse_missing_engine(session, self._dialect_of_session(session))
        osdb_loading.refuse_foreign_tables(session, self._tables)

    def prepare(self, session: WorkloadSession) -> None:
        tables, dialect = self._tables, self._dialect_of_session(session)
        if not self._is_usable(session):
            from importlib.metadata import version  # not for each user's process: it starts in a hurry

            osdb_loading.load_tables(session, dialect, tables, version("domtune"))
            flaws = osdb_checks.loading_flaws(session, tables)
            if flaws:
                raise LoadError(f"the data just loaded are not right: {'; '.join(flaws[:3])}")
            osdb_loading.mark_complete(session, tables)
        osdb_loading.restore_updates(session, dialect, tables)
        self._before = osdb_checks.read_sums(session, tables)
        if self._before != osdb_checks.sums_when_loaded(tables.tuples):
            raise LoadError(f"updates was restored, but holds {self._before}", hint="Does another program write to it?")

    def check(self, session: WorkloadSession, totals: UserTotals) -> LoadCheck:
        if self._before is None:
            raise LoadError(f"{self.load.kind} was checked before it was prepared")
        after = osdb_checks.read_sums(session, self._tables)
        return osdb_checks.check_sums(self.load.kind, self._before, after, totals)

    def deviations(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        return osdb_differences.difference_sentences(self.load, spec, facts, versions)

    def _dialect_of_session(self, session: WorkloadSession) -> OsdbDialect:
        return osdb_dialect(session.database, self.load.values)

    def _is_usable(self, session: WorkloadSession) -> bool:
        """Return True when earlier data may be used again: complete, ours, and their copy unharmed."""
        tables = self._tables
        if not osdb_loading.is_loaded(session, self._dialect_of_session(session), tables):
            return False
        return osdb_checks.read_sums(session, tables, "updates_backup") == osdb_checks.sums_when_loaded(tables.tuples)


def open_workload(load: LoadSpec) -> OsdbWorkload:
    """Return the database side of one load."""
    return OsdbWorkload(load)
