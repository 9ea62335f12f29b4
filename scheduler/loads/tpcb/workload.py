"""The tables' side of tpcb: made once by pgbench -i, put in order before each block, checked after it."""

import logging
from collections.abc import Mapping

import msgspec
import psycopg2
from psycopg2 import sql

from scheduler.databases.base import Session
from scheduler.databases.postgresql import pg
from scheduler.databases.postgresql.session import connection_of
from scheduler.errors import LoadError
from scheduler.loads.base import LoadCheck
from scheduler.loads.engines.program import Program
from scheduler.loads.orders import Totals
from scheduler.loads.tpcb import deviations, program, tables
from scheduler.loads.tpcb.tables import ACCOUNTS, BRANCHES, HISTORY, ROWS_PER_SCALE, TELLERS
from scheduler.model.facts import HostFacts
from scheduler.model.spec import LoadSpec, RunSpec

log = logging.getLogger(__name__)

_NAP_S = 0.2
_ROUNDING = 0.01  # lines have a rate of one decimal and a time of three

_STATE = """
    SELECT (SELECT count(*) FROM {schema}.{history}), (SELECT coalesce(sum(delta), 0) FROM {schema}.{history}),
        (SELECT coalesce(sum(bbalance), 0) FROM {schema}.{branches}),
        (SELECT coalesce(sum(tbalance), 0) FROM {schema}.{tellers}),
        (SELECT coalesce(sum(abalance), 0) FROM {schema}.{accounts})"""
_COUNTS = """
    SELECT (SELECT count(*) FROM {schema}.{accounts}), (SELECT count(*) FROM {schema}.{branches}),
        (SELECT count(*) FROM {schema}.{tellers})"""
_NAMES = {"history": HISTORY, "branches": BRANCHES, "tellers": TELLERS, "accounts": ACCOUNTS}


class State(msgspec.Struct, frozen=True):
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
    def balances(self) -> tuple[int, int, int]:
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
        self._before: State | None = None

    def preflight(self, session: Session) -> None:
        tables.refuse_foreign(connection_of(session), self._scale)

    def prepare(self, session: Session) -> None:
        connection = connection_of(session)
        if not self._usable(connection):
            self._make(connection)
        self._run(connection, "TRUNCATE {schema}.{history}")
        self._settle(connection)
        self._before = self._state(connection)
        if len(set(self._before.balances)) != 1 or self._before.rows:
            raise LoadError(
                f"the tables of tpcb were put in order, but hold {self._before}",
                hint="Does another program write to them?",
            )

    def check(self, session: Session, totals: Totals) -> LoadCheck:
        if self._before is None:
            raise LoadError("tpcb was checked before it was prepared")
        return after_users(self._before, self._state(connection_of(session)), totals)

    def deviations(self, spec: RunSpec, facts: HostFacts, versions: Mapping[str, str]) -> tuple[str, ...]:
        return deviations.sentences(self._load, facts, versions)

    def _usable(self, connection: pg.Connection) -> bool:
        """Return True when earlier tables may be used again: complete, ours, of that size, their balances agreeing."""
        if not tables.is_complete(connection, self._scale) or self._flaws(connection):
            return False
        return len(set(self._state(connection).balances)) == 1

    def _make(self, connection: pg.Connection) -> None:
        log.info("pgbench makes the tables of tpcb, scale %d", self._scale)
        tables.begin(connection, self._scale, dict(program.versions()))
        params = {**connection.info.dsn_parameters, "password": connection.info.password or ""}
        making = Program(program.job(params, self._scale, ("--initialize", f"--scale={self._scale}", "--quiet")))
        try:
            while making.wait(_NAP_S) is None:
                making.lines()
            if making.status:
                raise LoadError(
                    f"pgbench could not make the tables of tpcb (status {making.status}): {making.last_words}",
                    hint="Is the database's disk full? Its log may say more.",
                )
        finally:
            making.end()
        flaws = self._flaws(connection)
        if flaws:
            raise LoadError(f"the tables that pgbench made are not right: {'; '.join(flaws)}")
        tables.mark_complete(connection, self._scale)

    def _flaws(self, connection: pg.Connection) -> list[str]:
        query = tables.in_schema(_COUNTS, self._scale, **_NAMES)
        found = _row(connection, query)
        wanted = {table: rows * self._scale for table, rows in ROWS_PER_SCALE.items()}
        return [
            f"{table} has {count} rows, not {rows}"
            for (table, rows), count in zip(wanted.items(), found, strict=True)
            if count != rows
        ]

    def _settle(self, connection: pg.Connection) -> None:
        """Leave nothing for the measured time to do: VACUUM ANALYZE, and a checkpoint where we may."""
        self._run(connection, "VACUUM (ANALYZE) {schema}.{branches}, {schema}.{tellers}, {schema}.{accounts}")
        try:
            self._run(connection, "CHECKPOINT")
        except psycopg2.errors.InsufficientPrivilege:
            log.info("no right to CHECKPOINT here; the server will make one when it likes")

    def _run(self, connection: pg.Connection, text: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(tables.in_schema(text, self._scale, **_NAMES))

    def _state(self, connection: pg.Connection) -> State:
        return State(*map(int, _row(connection, tables.in_schema(_STATE, self._scale, **_NAMES))))


def after_users(before: State, after: State, totals: Totals) -> LoadCheck:
    """Compare the tables with what pgbench says it did.

    The rule: history, empty before, has exactly as many rows as pgbench counted transactions in its closing words; all
    three balances grew by the sum that history says; and its lines did not tell of more transactions than there were.
    Nothing may be lost: pgbench is asked to end, and its users finish what they are at.
    """
    grown = [later - earlier for earlier, later in zip(before.balances, after.balances, strict=True)]
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


def _row(connection: pg.Connection, query: sql.Composed) -> tuple[int, ...]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        row = cursor.fetchone()
    if row is None:
        raise LoadError("the tables of tpcb gave no answer")
    return row


def open_workload(load: LoadSpec) -> TpcbWorkload:
    """Return the tables' side of one load."""
    return TpcbWorkload(load)
