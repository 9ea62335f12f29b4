"""Tables of the load tpch: loaded once, checked by the answers to all queries."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import LoadError
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.tables.table_marker import BEGUN, read_marker, set_marker_state, store_in_marker
from scheduler.loads.tables.table_set import TableDesign, TableSet
from scheduler.loads.tables.table_workload import TableWorkload
from scheduler.loads.tpch import queries, query_answers, tpch_checks, tpch_data, tpch_differences
from scheduler.loads.tpch.tpch_schema import FORMAT, TABLES, scale_text, tpch_schema_name
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec
from scheduler.translation import _

_ANSWER, _SUM = "answer ", "table "  # prefixes of marker entries


class TpchState(msgspec.Struct, frozen=True):
    """State of the tables.

    Attributes:
        sums: Table to its number of rows and the sum of one column.
        stored_sums: The same values after loading.
        answers: Query (`Q1`) to its answer after loading: number of rows and digest.
    """

    sums: Mapping[str, str]
    stored_sums: Mapping[str, str]
    answers: Mapping[str, str]


class TpchWorkload(TableWorkload[TpchState]):
    """Tables of one tpch load."""

    def __init__(self, load: LoadSpec) -> None:
        super().__init__(load, "tpch")
        self._scale = float(load.values["scale"])

    def table_set(self, database: str) -> TableSet:
        return TableDesign(
            schema=tpch_schema_name(self._scale),
            tables=TABLES,
            form={"format": FORMAT, "scale": scale_text(self._scale), "data": tpch_data.generator_version()},
            indexes=tuple(statement for table in TABLES for statement in table.index_statements),
            delimiter=tpch_data.DELIMITER,
        ).on(database)

    def preflight(self, session: WorkloadSession) -> None:
        tpch_data.find_generator()
        super().preflight(session)

    def row_source(self) -> Callable[[str], Iterator[bytes]]:
        return partial(tpch_data.read_chunks, tpch_data.ensure_files(self._scale))

    def load_tables(self, session: WorkloadSession, tables: TableSet) -> None:
        super().load_tables(session, tables)
        folder, sums = tpch_data.ensure_files(self._scale), read_table_sums(session, tables)
        counts = {name: int(text.partition(":")[0]) for name, text in sums.items()}
        wanted = {name: tpch_data.count_rows(folder, name) for name in counts}
        wrong = [
            _("{name} has {rows} rows, not {wanted}").format(name=name, rows=rows, wanted=wanted[name])
            for name, rows in counts.items()
            if rows != wanted[name]
        ]
        if wrong:
            raise LoadError(_("the data just loaded are not right: {wrong}").format(wrong="; ".join(wrong)))
        store_in_marker(session, tables, {f"{_SUM}{name}": value for name, value in sums.items()})
        answers = first_answers(session, self._scale)
        store_in_marker(session, tables, {f"{_ANSWER}Q{number}": answer for number, answer in answers.items()})

    def state(self, session: WorkloadSession) -> TpchState:
        """Return the state; this also reads every row into the server's memory."""
        tables = self.tables(session)
        marker = read_marker(session, tables)
        sums = read_table_sums(session, tables)
        return TpchState(sums, _marker_entries(marker, _SUM), _marker_entries(marker, _ANSWER))

    def start_flaws(self, session: WorkloadSession, state: TpchState) -> Sequence[str]:
        if len(state.answers) != queries.QUERY_COUNT:
            return (
                _("{count} answers of {query_count} are known").format(
                    count=len(state.answers), query_count=queries.QUERY_COUNT
                ),
            )
        return tpch_checks.sum_flaws(state.stored_sums, state.sums)

    def fingerprint(self, session: WorkloadSession) -> Mapping[str, str]:
        before = self._before
        return {} if before is None else {**before.sums, **before.answers}

    def check(self, session: WorkloadSession, totals: UserTotals) -> LoadCheck:
        found = super().check(session, totals)
        if not found.passed:  # sums may not show all changes, so the next sweep loads the tables again
            set_marker_state(session, self.tables(session), BEGUN)
        return found

    def compare(self, before: TpchState, after: TpchState, totals: UserTotals, flaws: Sequence[str]) -> LoadCheck:
        return tpch_checks.check_answers(before.answers, before.sums, after.sums, totals)

    def differences(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        return tpch_differences.difference_sentences(self.load, spec, facts, versions)


def read_table_sums(session: WorkloadSession, tables: TableSet) -> dict[str, str]:
    """Return the number of rows of each table and the sum of one column.

    This reads all rows.

    Args:
        session: Session on the database.
        tables: Tables of the load.
    """
    found: dict[str, str] = {}
    for table in TABLES:
        query = f"SELECT count(*), coalesce(sum({table.total}), 0) FROM @.{table.name}"  # noqa: S608 - ours
        [(count, total)] = session.rows(tables.at(query))
        found[table.name] = f"{count}:{query_answers.plain_text(total)}"
    return found


def first_answers(session: WorkloadSession, scale: float) -> dict[int, str]:
    """Run each query once; return query number to the digest of its answer.

    Args:
        session: Session on the database.
        scale: Scale of the tables. At scale 1 the answers must be the published ones.

    Raises:
        LoadError: An answer differs from the published one.
    """
    found: dict[int, str] = {}
    wrong: list[str] = []
    for number in queries.QUERY_NUMBERS:
        rows = session.rows(queries.query_text(number, session.database, scale))
        found[number] = query_answers.answer_digest(rows)
        differs = query_answers.differs_from_published(number, rows) if scale == 1 else ""
        wrong += [differs] if differs else []
    if wrong:
        raise LoadError(_("the answers are not those that TPC-H publishes: {wrong}").format(wrong="; ".join(wrong[:3])))
    return found


def _marker_entries(marker: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): value for name, value in marker.items() if name.startswith(prefix)}


def open_workload(load: LoadSpec) -> TpchWorkload:
    """Return the database side of one load."""
    return TpchWorkload(load)
