"""The tables' side of tpcb: made once by pgbench -i, put in order before each block, checked after it."""

import logging
from collections.abc import Mapping

import msgspec

from scheduler.databases.base import Session
from scheduler.errors import LoadError
from scheduler.loads.base import LoadCheck
from scheduler.loads.engines.making import wait_for_tables
from scheduler.loads.engines.program import Program
from scheduler.loads.orders import Totals
from scheduler.loads.tpcb import deviations, program, tables
from scheduler.loads.tpcb.tables import ROWS_PER_SCALE
from scheduler.model.facts import HostFacts
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
        self._names = tables.named(self._scale)
        self._before: State | None = None

    def preflight(self, session: Session) -> None:
        tables.refuse_foreign(session, self._scale)

    def prepare(self, session: Session) -> None:
        if not self._usable(session):
            self._make(session)
        session.execute("TRUNCATE {history}".format(**self._names))
        session.settle([self._names[table] for table in ("branches", "tellers", "accounts")])
        self._before = self._state(session)
        if len(set(self._before.balances)) != 1 or self._before.rows:
            raise LoadError(
                f"the tables of tpcb were put in order, but hold {self._before}",
                hint="Does another program write to them?",
            )

    def check(self, session: Session, totals: Totals) -> LoadCheck:
        if self._before is None:
            raise LoadError("tpcb was checked before it was prepared")
        return after_users(self._before, self._state(session), totals)

    def deviations(self, spec: RunSpec, facts: HostFacts, versions: Mapping[str, str]) -> tuple[str, ...]:
        return deviations.sentences(self._load, facts, versions)

    def _usable(self, session: Session) -> bool:
        """Return True when earlier tables may be used again: complete, ours, of that size, their balances agreeing."""
        if not tables.is_complete(session, self._scale) or self._flaws(session):
            return False
        return len(set(self._state(session).balances)) == 1

    def _make(self, session: Session) -> None:
        log.info("pgbench makes the tables of tpcb, scale %d", self._scale)
        tables.begin(session, self._scale, dict(program.versions()))
        making = Program(
            program.job(session.params, self._scale, ("--initialize", f"--scale={self._scale}", "--quiet"))
        )
        try:
            wait_for_tables(making, session)
            if making.status:
                raise program.not_let_in(making.last_words, session.params) or LoadError(
                    f"pgbench could not make the tables of tpcb (status {making.status}): {making.last_words}",
                    hint="Is the database's disk full? Its log may say more.",
                )
        finally:
            making.end()
        flaws = self._flaws(session)
        if flaws:
            raise LoadError(f"the tables that pgbench made are not right: {'; '.join(flaws)}")
        tables.mark_complete(session, self._scale)

    def _flaws(self, session: Session) -> list[str]:
        [found] = session.rows(_COUNTS.format(**self._names))
        wanted = {table: rows * self._scale for table, rows in ROWS_PER_SCALE.items()}
        return [
            f"{table} has {count} rows, not {rows}"
            for (table, rows), count in zip(wanted.items(), found, strict=True)
            if count != rows
        ]

    def _state(self, session: Session) -> State:
        [found] = session.rows(_STATE.format(**self._names))
        return State(*map(int, found))


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


def open_workload(load: LoadSpec) -> TpcbWorkload:
    """Return the tables' side of one load."""
    return TpcbWorkload(load)
