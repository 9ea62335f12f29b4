"""Tables of sysbench: made once by `sysbench prepare`, checked before and after each block."""

import logging
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import LoadError
from scheduler.loads.engines.program import SupervisedProgram
from scheduler.loads.engines.table_creation import wait_for_tables
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.sysbench import sysbench_differences, sysbench_program
from scheduler.loads.sysbench.sysbench_tables import sysbench_table_set
from scheduler.loads.tables.table_set import TableSet
from scheduler.loads.tables.table_workload import TableWorkload
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec

log = logging.getLogger(__name__)

_MOST_MAKERS = 4  # each makes one table at a time
_COUNTERS = {"point-select": "Com_select"}  # it has no transactions
_COMMITS = "Com_commit"
_READS_ONLY = frozenset({"read-only", "point-select"})


class SysbenchState(msgspec.Struct, frozen=True):
    """What the tables and the server hold.

    Attributes:
        rows: Rows of each table.
        wrong: How many keys of each table lie outside 1 to its size.
        digest: Of all rows, one for each table; 0 where users change them.
        done: The server's own count of what an event of the script ends with, of all that it runs.
    """

    rows: tuple[int, ...]
    wrong: tuple[int, ...]
    digest: tuple[int, ...]
    done: int


class SysbenchWorkload(TableWorkload[SysbenchState]):
    """The tables of one load."""

    def __init__(self, load: LoadSpec) -> None:
        super().__init__(load, "sysbench")
        self._size = int(load.values["table_size"])
        self._table_set = sysbench_table_set(int(load.values["tables"]), self._size)
        self._names = [f"{self._table_set.schema}.{name}" for name in self._table_set.names]
        self._script = str(load.values["script"])

    def preflight(self, session: WorkloadSession) -> None:
        sysbench_program.certificate_authorities(session.params)
        sysbench_program.password_option_line(session.params)
        super().preflight(session)

    def table_set(self, database: str) -> TableSet:
        return self._table_set

    def load_tables(self, session: WorkloadSession, tables: TableSet) -> None:
        log.info("sysbench makes %d tables of %d rows", len(tables.names), self._size)
        self.begin_tables(session, tables, sysbench_program.sysbench_versions())
        sysbench_program.prove_server(session.params)
        words = (f"--threads={min(len(tables.names), _MOST_MAKERS)}", "prepare")
        making = SupervisedProgram(sysbench_program.sysbench_job(session.params, self.load.values, words))
        try:
            said = _wait_for_maker(making, session)
        finally:
            making.end()
        # Its status is 0 even if one of its threads could not connect.
        if making.status or not session.tables(tables.schema).issuperset(tables.names):
            raise sysbench_program.connection_refusal(said, session.params) or LoadError(
                f"sysbench could not make its tables (status {making.status}): {said}",
                hint="Is the database's disk full? Its log may say more.",
            )

    def state(self, session: WorkloadSession) -> SysbenchState:
        counted = [session.rows(_count_query(name, self._size))[0] for name in self._names]
        digests = session.rows(f"CHECKSUM TABLE {', '.join(self._names)}") if self._script in _READS_ONLY else []
        counter = _COUNTERS.get(self._script, _COMMITS)
        [(_, done)] = session.rows("SHOW GLOBAL STATUS WHERE Variable_name = %s", counter)
        return SysbenchState(
            rows=tuple(int(rows) for rows, _ in counted),
            wrong=tuple(int(wrong) for _, wrong in counted),
            digest=tuple(int(digest or 0) for _, digest in digests),
            done=int(done),
        )

    def start_flaws(self, session: WorkloadSession, state: SysbenchState) -> Sequence[str]:
        return table_flaws(state, self._size)

    def compare(
        self, before: SysbenchState, after: SysbenchState, totals: UserTotals, flaws: Sequence[str]
    ) -> LoadCheck:
        return check_events(before, after, self._size, totals)

    def deviations(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        return sysbench_differences.difference_sentences(self.load, facts, versions)


def _wait_for_maker(making: SupervisedProgram, session: WorkloadSession) -> str:
    """Wait for its end; return what went wrong in its own words: the last ones are of threads that went on."""
    fatal: list[str] = []
    wait_for_tables(making, session, lambda line: fatal.append(line.text) if "FATAL" in line.text else None)
    return " / ".join(fatal[:_MOST_MAKERS]) or making.last_words


def _count_query(name: str, size: int) -> str:
    return f"SELECT count(*), coalesce(sum(id NOT BETWEEN 1 AND {size}), 0) FROM {name}"  # noqa: S608 - names of ours


def table_flaws(state: SysbenchState, size: int) -> list[str]:
    """Return what is not as it must be whenever nobody is in a transaction: each key from 1 to the size once."""
    counted = enumerate(zip(state.rows, state.wrong, strict=True), start=1)
    return [
        f"sbtest{number} has {f'{rows} rows, not {size}' if rows != size else f'{wrong} rows of other keys'}"
        for number, (rows, wrong) in counted
        if rows != size or wrong
    ]


def check_events(before: SysbenchState, after: SysbenchState, size: int, totals: UserTotals) -> LoadCheck:
    """Compare tables and server with what sysbench says it did.

    The rule: every table still has each of its keys once (rows are deleted and inserted again in one transaction); what
    users only read is as it was, to the byte; the server itself counted at least as many commits, or queries where
    there are none, as sysbench says; and its lines did not tell of more events than its closing words.
    """
    told, counted = totals.told or 0, after.done - before.done
    flaws = [
        *table_flaws(after, size),
        "the tables were changed, and users only read" if before.digest != after.digest else "",
        f"the server counted {counted} only" if counted < totals.tuples else "",
        f"its lines told of {told}" if told > totals.tuples else "",
    ]
    words = f"sysbench says it completed {totals.tuples} events; {sum(after.rows)} rows in {len(after.rows)} tables"
    return LoadCheck(not any(flaws), "; ".join([words, *filter(None, flaws)]))


def open_workload(load: LoadSpec) -> SysbenchWorkload:
    """Return the tables' side of one load."""
    return SysbenchWorkload(load)
