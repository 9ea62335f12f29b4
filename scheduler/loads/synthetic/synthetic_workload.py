"""Table of the synthetic loads: loaded once, checked for unchanged contents."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from scheduler.databases.protocols import WorkloadSession
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.synthetic import synthetic_differences
from scheduler.loads.synthetic.numbered_table import FORMAT, TABLE_NAME, TEXT_BYTES, TableContents, table_for_load
from scheduler.loads.tables.table_set import DatabaseTable, TableDesign, TableSet
from scheduler.loads.tables.table_workload import TableWorkload
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec
from scheduler.translation import _

_DIGESTS = {
    "postgresql": "('x' || substr(encode(sha256(payload::bytea), 'hex'), 1, 8))::bit(32)::bigint",
    "mariadb": "CAST(conv(substr(sha2(payload, 256), 1, 8), 16, 10) AS UNSIGNED)",  # MySQL 9 has no md5()
}
"""Kind of database to the SQL for the first 32 bits of a text's SHA-256, as a number."""


class SyntheticWorkload(TableWorkload[TableContents]):
    """Table of one synthetic load."""

    def __init__(self, load: LoadSpec) -> None:
        super().__init__(load, load.kind)
        self._table = table_for_load(load.kind, load.values)

    def table_set(self, database: str) -> TableSet:
        text = f", payload varchar({TEXT_BYTES})" if self._table.texts else ""
        return TableDesign(
            schema=self._table.schema,
            tables=(DatabaseTable(TABLE_NAME, f"number integer{text}", "number"),),
            form={"format": FORMAT, "rows": str(self._table.rows)},
        ).on(database)

    def row_source(self) -> Callable[[str], Iterator[bytes]]:
        return lambda _: self._table.csv()

    def state(self, session: WorkloadSession) -> TableContents:
        """Return the contents; this also reads the whole table into the server's memory."""
        digests = f"coalesce(sum({_DIGESTS[session.database]}), 0)" if self._table.texts else "0"
        query = f"SELECT count(*), coalesce(sum(number), 0), {digests} FROM @.{TABLE_NAME}"
        [found] = session.rows(self._table.at(query))
        return TableContents(*map(int, found))

    def start_flaws(self, session: WorkloadSession, state: TableContents) -> Sequence[str]:
        wanted = self._table.held()
        return (
            ()
            if state == wanted
            else (
                _("{table_name} holds {state}, not {wanted}").format(table_name=TABLE_NAME, state=state, wanted=wanted),
            )
        )

    def fingerprint(self, session: WorkloadSession) -> Mapping[str, str]:
        return {TABLE_NAME: str(self.state(session))}

    def compare(
        self, before: TableContents, after: TableContents, totals: UserTotals, flaws: Sequence[str]
    ) -> LoadCheck:
        found = [
            _("{misses} operations had another answer than the right one").format(misses=totals.misses)
            if totals.misses
            else "",
            _("the table held {before}, now {after} (rows:numbers:digests)").format(before=before, after=after)
            if after != before
            else "",
        ]
        return LoadCheck(
            not any(found), "; ".join([_("{tuples} right answers").format(tuples=totals.tuples), *filter(None, found)])
        )

    def differences(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        return synthetic_differences.difference_sentences(self.load, self._table, facts, versions)


def open_workload(load: LoadSpec) -> SyntheticWorkload:
    """Return the database side of one load."""
    return SyntheticWorkload(load)
