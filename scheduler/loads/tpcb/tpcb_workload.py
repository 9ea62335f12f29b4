"""The tables' side of tpcb: made once by pgbench -i, put in order before each block, checked after it."""

import logging
from collections.abc import Mapping

import msgspec

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import LoadError
from scheduler.loads.engines.program import SupervisedProgram
from scheduler.loads.engines.table_creation import wait_for_tables
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.tpcb import pgbench_program, pgbench_tables, tpcb_differences
from scheduler.loads.tpcb.pgbench_tables import ROWS_PER_SCALE
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec

log = logging.getLogger(__name__)

_ROUNDING = 0.01  # lines have a rate of one decimal and a time of three

_STATE = """
    SELECT (SELECT count(*) FROM {history}), (SELECT coalesce(sum(delta), 0) FROM {history}),
        (SELECT coalesce(sum(bbalance), 0) FROM {branches}),
        (SELECT coalesce(sum(tbalance), 0) FROM {tellers}),
        (SELECT coalesce(sum(abalance), 0) FROM {accounts})"""
_COUNTS = """
    SELECT (SELECT count(*) FROM {accounts}), (SELECT count(*) FROM {branches}),
        (SELECT count(*) FROM {tellers})"""


class TpcbState(msgspec.Struct, frozen=True):
    """What the tables hold.

    Attributes:
        rows: Rows of the history.
        delta: Sum of what they say was added.
        branches: Sum of the branches' balances; likewise tellers, accounts.
    """

    rows: int
    delta: int
    branches: int
    tellers: int
    accounts: int

    @property
    def balance_sums(self) -> tuple[int, int, int]:
        """The three sums, which every transaction changes by the same amount."""
        return self.branches, self.tellers, self.accounts


class TpcbWorkload:
    """The tables of one load.

    Args:
        load: The load of the plan.
    """

    def __init__(self, load: LoadSpec) -> None:
        self._load = load
        self._scale = int(load.values["scale"])
        self._names = pgbench_tables.table_names(self._scale)
        self._before: TpcbState | None = None

    def preflight(self, session: WorkloadSession) -> None:
        pgbench_tables.refuse_foreign_tables(session, self._scale)

    def prepare(self, session: WorkloadSession) -> None:
        if not self._is_usable(session):
            self._make_tables(session)
        session.execute("TRUNCATE {history}".format(**self._names))
        session.settle([self._names[table] for table in ("branches", "tellers", "accounts")])
        self._before = self._read_state(session)
        if len(set(self._before.balance_sums)) != 1 or self._before.rows:
            raise LoadError(
                f"the tables of tpcb were put in order, but hold {self._before}",
                hint="Does another program write to them?",
            )

    def check(self, session: WorkloadSession, totals: UserTotals) -> LoadCheck:
        if self._before is None:
            raise LoadError("tpcb was checked before it was prepared")
        return check_history(self._before, self._read_state(session), totals)

    def deviations(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        return tpcb_differences.difference_sentences(self._load, facts, versions)

    def _is_usable(self, session: WorkloadSession) -> bool:
        """Return True when earlier tables may be used again: complete, ours, of that size, their balances agreeing."""
        if not pgbench_tables.is_complete(session, self._scale) or self._row_count_flaws(session):
            return False
        return len(set(self._read_state(session).balance_sums)) == 1

    def _make_tables(self, session: WorkloadSession) -> None:
        log.info("pgbench makes the tables of tpcb, scale %d", self._scale)
        pgbench_tables.create_schema(session, self._scale, dict(pgbench_program.pgbench_versions()))
        making = SupervisedProgram(
            pgbench_program.pgbench_job(
                session.params, self._scale, ("--initialize", f"--scale={self._scale}", "--quiet")
            )
        )
        try:
            wait_for_tables(making, session)
            if making.status:
                raise pgbench_program.connection_refusal(making.last_words, session.params) or LoadError(
                    f"pgbench could not make the tables of tpcb (status {making.status}): {making.last_words}",
                    hint="Is the database's disk full? Its log may say more.",
                )
        finally:
            making.end()
        flaws = self._row_count_flaws(session)
        if flaws:
            raise LoadError(f"the tables that pgbench made are not right: {'; '.join(flaws)}")
        pgbench_tables.mark_complete(session, self._scale)

    def _row_count_flaws(self, session: WorkloadSession) -> list[str]:
        [found] = session.rows(_COUNTS.format(**self._names))
        wanted = {table: rows * self._scale for table, rows in ROWS_PER_SCALE.items()}
        return [
            f"{table} has {count} rows, not {rows}"
            for (table, rows), count in zip(wanted.items(), found, strict=True)
            if count != rows
        ]

    def _read_state(self, session: WorkloadSession) -> TpcbState:
        [found] = session.rows(_STATE.format(**self._names))
        return TpcbState(*map(int, found))


def check_history(before: TpcbState, after: TpcbState, totals: UserTotals) -> LoadCheck:
    """Compare the tables with what pgbench says it did.

    The rule: history, empty before, has exactly as many rows as pgbench counted transactions in its closing words; all
    three balances grew by the sum that history says; and its lines did not tell of more transactions than there were.
    Nothing may be lost: pgbench is asked to end, and its users finish what they are at.
    """
    grown = [later - earlier for earlier, later in zip(before.balance_sums, after.balance_sums, strict=True)]
    told = totals.told or 0
    flaws = [
        f"pgbench says that it completed {totals.tuples}" if after.rows != totals.tuples else "",
        f"branches, tellers and accounts grew by {grown}, history says {after.delta}"
        if set(grown) != {after.delta}
        else "",
        f"its lines told of {told} transactions" if told > totals.tuples * (1 + _ROUNDING) + 1 else "",
    ]
    words = f"{after.rows} transactions in history, all balances grew by {after.delta}"
    return LoadCheck(not any(flaws), "; ".join([words, *filter(None, flaws)]))


def open_workload(load: LoadSpec) -> TpcbWorkload:
    """Return the tables' side of one load."""
    return TpcbWorkload(load)
