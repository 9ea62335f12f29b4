"""Tables of the OSDB loads: load, restore before each block, check after it."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import DatabaseUnsuitable, LoadError
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.osdb import osdb_checks, osdb_differences, osdb_schema
from scheduler.loads.osdb.generator import OsdbData
from scheduler.loads.osdb.osdb_checks import UpdateSums
from scheduler.loads.osdb.osdb_dialects import osdb_dialect
from scheduler.loads.osdb.osdb_schema import BACKUP, RELATIONS, TINY, OsdbDialect, OsdbTables
from scheduler.loads.tables.table_dialects import TABLE_DIALECTS
from scheduler.loads.tables.table_set import TableSet
from scheduler.loads.tables.table_workload import TableWorkload
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec
from scheduler.translation import _


class OsdbWorkload(TableWorkload[UpdateSums]):
    """Tables of one OSDB load. Two OSDB loads can share these tables."""

    def __init__(self, load: LoadSpec) -> None:
        super().__init__(load, load.kind)
        self._tables = OsdbTables(load.tuples, load.own)

    def preflight(self, session: WorkloadSession) -> None:
        _refuse_missing_engine(session, osdb_dialect(session.database, self.load.values))
        super().preflight(session)

    def table_set(self, database: str) -> TableSet:
        dialect = osdb_dialect(database, self.load.values)
        engine = {"engine": dialect.engine} if dialect.engine else {}
        numbers = {"tuples": str(self._tables.tuples), "seed": str(osdb_schema.SEED)}
        columns = [f"col_{name}" for name in osdb_schema.COLUMNS]
        return TableSet(
            schema=self._tables.schema,
            form={"format": osdb_schema.FORMAT, **numbers, **engine},
            begin=TABLE_DIALECTS[database].begin,
            # hundred comes first, because it refers to updates
            names=("hundred", *(name for name in RELATIONS if name != "hundred"), TINY, BACKUP),
            create=(dialect.tiny, *(dialect.table.format(table=name) for name in RELATIONS)),
            columns=dict.fromkeys(RELATIONS, columns),
            finish=(osdb_schema.FILL_TINY, *dialect.finish),
            settle_loaded=(*RELATIONS, BACKUP),
            restore=dialect.restore,
            settle_restored=("updates",),
        )

    def row_source(self) -> Callable[[str], Iterator[bytes]]:
        return OsdbData(self._tables.tuples, osdb_schema.SEED).csv

    def load_tables(self, session: WorkloadSession, tables: TableSet) -> None:
        super().load_tables(session, tables)
        flaws = osdb_checks.loading_flaws(session, self._tables)
        if flaws:
            raise LoadError(_("the data just loaded are not right: {flaws}").format(flaws="; ".join(flaws[:3])))

    def state(self, session: WorkloadSession) -> UpdateSums:
        return osdb_checks.read_sums(session, self._tables)

    def start_flaws(self, session: WorkloadSession, state: UpdateSums) -> Sequence[str]:
        return (
            ()
            if state == osdb_checks.sums_when_loaded(self._tables.tuples)
            else (_("updates holds {state}").format(state=state),)
        )

    def compare(self, before: UpdateSums, after: UpdateSums, totals: UserTotals, flaws: Sequence[str]) -> LoadCheck:
        return osdb_checks.check_sums(self.load.kind, before, after, totals)

    def differences(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        return osdb_differences.difference_sentences(self.load, spec, facts, versions)


def _refuse_missing_engine(session: WorkloadSession, dialect: OsdbDialect) -> None:
    """Refuse a server without the storage engine of the plan.

    Raises:
        DatabaseUnsuitable: The server does not have the engine.
    """
    if not dialect.engine:
        return
    engines = session.rows("SELECT engine FROM information_schema.engines WHERE support IN ('YES', 'DEFAULT')")
    names = sorted(str(row[0]) for row in engines)
    if dialect.engine not in map(str.lower, names):
        raise DatabaseUnsuitable(
            _("the server has no storage engine {engine} (it has {names})").format(
                engine=dialect.engine, names=", ".join(names)
            ),
            hint=_("Name another engine, or another database."),
        )


def open_workload(load: LoadSpec) -> OsdbWorkload:
    """Return the database side of one load."""
    return OsdbWorkload(load)
