"""Tables of the load sysbench: made by `sysbench prepare`, checked for each block."""

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
from scheduler.translation import _

log = logging.getLogger(__name__)

_MOST_MAKERS = 4  # each thread makes one table at a time
_COUNTERS = {"point-select": "Com_select"}  # point-select has no transactions
_COMMITS = "Com_commit"
_READS_ONLY = frozenset({"read-only", "point-select"})


class SysbenchState(msgspec.Struct, frozen=True):
    """State of the tables and the server.

    Attributes:
        rows: Number of rows of each table.
        wrong: Number of keys of each table that are outside 1..size.
        digest: Checksum of each table. Empty if users change rows.
        done: The server's own count of all commits, or of all queries for a script without transactions.
    """

    rows: tuple[int, ...]
    wrong: tuple[int, ...]
    digest: tuple[int, ...]
    done: int


class SysbenchWorkload(TableWorkload[SysbenchState]):
    """Tables of one sysbench load."""

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
        # The exit status is 0 even if a thread could not connect.
        if making.status or not session.tables(tables.schema).issuperset(tables.names):
            raise sysbench_program.connection_refusal(said, session.params) or LoadError(
                _("sysbench could not make its tables (status {status}): {answer}").format(
                    status=making.status, answer=said
                ),
                hint=_("Is the database's disk full? Its log may say more."),
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

    def differences(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        return sysbench_differences.difference_sentences(self.load, facts, versions)


def _wait_for_maker(making: SupervisedProgram, session: WorkloadSession) -> str:
    """Wait for the end of `prepare`; return its fatal messages.

    Later lines can be of threads that continued. Without a fatal message, the last lines are returned.
    """
    fatal: list[str] = []
    wait_for_tables(making, session, lambda line: fatal.append(line.text) if "FATAL" in line.text else None)
    return " / ".join(fatal[:_MOST_MAKERS]) or making.last_words


def _count_query(name: str, size: int) -> str:
    return f"SELECT count(*), coalesce(sum(id NOT BETWEEN 1 AND {size}), 0) FROM {name}"  # noqa: S608 - names of ours


def table_flaws(state: SysbenchState, size: int) -> list[str]:
    """Return the tables without exactly one row per key 1..size, one sentence each.

    Between two transactions, every table has each of these keys once.

    Args:
        state: State of the tables.
        size: Rows per table.
    """
    counted = enumerate(zip(state.rows, state.wrong, strict=True), start=1)
    return [
        _("sbtest{number} has {value}").format(
            number=number,
            value=_("{rows} rows, not {size}").format(rows=rows, size=size)
            if rows != size
            else _("{wrong} rows of other keys").format(wrong=wrong),
        )
        for number, (rows, wrong) in counted
        if rows != size or wrong
    ]


def check_events(before: SysbenchState, after: SysbenchState, size: int, totals: UserTotals) -> LoadCheck:
    """Compare the tables and the server with the total that sysbench reports.

    Every table must still have each of its keys once, because a transaction inserts each row that it deletes again.
    Tables
    that users only read must have equal checksums. The server's own count of commits, or of queries without
    transactions,
    must be at least sysbench's total. The progress lines must not report more events than this total.

    Args:
        before: State when the users started.
        after: State when the users had stopped.
        size: Rows per table.
        totals: Totals of all users, warm-up and tail included.
    """
    reported, counted = totals.reported or 0, after.done - before.done
    flaws = [
        *table_flaws(after, size),
        _("the tables were changed, and users only read") if before.digest != after.digest else "",
        _("the server counted {counted} only").format(counted=counted) if counted < totals.tuples else "",
        _("its lines report {reported}").format(reported=reported) if reported > totals.tuples else "",
    ]
    words = _("sysbench reports {tuples} completed events; {rows} rows in {count} tables").format(
        tuples=totals.tuples, rows=sum(after.rows), count=len(after.rows)
    )
    return LoadCheck(not any(flaws), "; ".join([words, *filter(None, flaws)]))


def open_workload(load: LoadSpec) -> SysbenchWorkload:
    """Return the database side of one load."""
    return SysbenchWorkload(load)
