"""Tables of the load tpcb: made by pgbench -i, restored and checked per block."""

import logging
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import LoadError
from scheduler.loads.engines.program import SupervisedProgram
from scheduler.loads.engines.table_creation import wait_for_tables
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.tables.table_set import TableSet
from scheduler.loads.tables.table_workload import TableWorkload, row_count_flaws
from scheduler.loads.tpcb import pgbench_program, tpcb_differences
from scheduler.loads.tpcb.pgbench_tables import pgbench_table_set
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec
from scheduler.translation import _

log = logging.getLogger(__name__)

_ROUNDING = 0.01  # relative: progress lines have a rate with one decimal and a time with three

_STATE = """
    SELECT (SELECT count(*) FROM @.pgbench_history), (SELECT coalesce(sum(delta), 0) FROM @.pgbench_history),
        (SELECT coalesce(sum(bbalance), 0) FROM @.pgbench_branches),
        (SELECT coalesce(sum(tbalance), 0) FROM @.pgbench_tellers),
        (SELECT coalesce(sum(abalance), 0) FROM @.pgbench_accounts)"""


class TpcbState(msgspec.Struct, frozen=True):
    """Contents of the tables that a check compares.

    Attributes:
        rows: Number of rows of the history.
        delta: Sum of the amounts in the history.
        branches: Sum of the branches' balances.
        tellers: Sum of the tellers' balances.
        accounts: Sum of the accounts' balances.
    """

    rows: int
    delta: int
    branches: int
    tellers: int
    accounts: int

    @property
    def balance_sums(self) -> tuple[int, int, int]:
        """The three sums of balances.

        Every transaction changes all of them by the same amount.
        """
        return self.branches, self.tellers, self.accounts


class TpcbWorkload(TableWorkload[TpcbState]):
    """Tables of one tpcb load."""

    def __init__(self, load: LoadSpec) -> None:
        super().__init__(load, "tpcb")
        self._scale = int(load.values["scale"])

    def table_set(self, database: str) -> TableSet:
        return pgbench_table_set(self._scale)

    def load_tables(self, session: WorkloadSession, tables: TableSet) -> None:
        log.info("pgbench makes the tables of tpcb, scale %d", self._scale)
        self.begin_tables(session, tables, pgbench_program.pgbench_versions())
        words = ("--initialize", f"--scale={self._scale}", "--quiet")
        making = SupervisedProgram(pgbench_program.pgbench_job(session.params, self._scale, words))
        try:
            wait_for_tables(making, session)
            if making.status:
                raise pgbench_program.connection_refusal(making.last_words, session.params) or LoadError(
                    _("pgbench could not make the tables of tpcb (status {status}): {last_words}").format(
                        status=making.status, last_words=making.last_words
                    ),
                    hint=_("Is the database's disk full? Its log may say more."),
                )
        finally:
            making.end()

    def state(self, session: WorkloadSession) -> TpcbState:
        [found] = session.rows(self.tables(session).at(_STATE))
        return TpcbState(*map(int, found))

    def start_flaws(self, session: WorkloadSession, state: TpcbState) -> Sequence[str]:
        agreed = len(set(state.balance_sums)) == 1 and not state.rows
        return [
            *row_count_flaws(session, self.tables(session)),
            *(() if agreed else (_("they hold {state}").format(state=state),)),
        ]

    def compare(self, before: TpcbState, after: TpcbState, totals: UserTotals, flaws: Sequence[str]) -> LoadCheck:
        return check_history(before, after, totals)

    def differences(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        return tpcb_differences.difference_sentences(self.load, facts, versions)


def check_history(before: TpcbState, after: TpcbState, totals: UserTotals) -> LoadCheck:
    """Compare the tables with the total that pgbench reports.

    History is empty before the run. Afterwards its number of rows must be pgbench's final count of transactions. All
    three
    sums of balances must have grown by the sum of the history. The progress lines must not report more transactions
    than
    the final count. No transaction may be lost, because pgbench lets its users finish when it is asked to end.

    Args:
        before: The tables when the users started.
        after: The tables when the users had stopped.
        totals: Totals of all users, warm-up and tail included.
    """
    grown = [later - earlier for earlier, later in zip(before.balance_sums, after.balance_sums, strict=True)]
    reported = totals.reported or 0
    flaws = [
        _("pgbench reports {tuples} completed transactions").format(tuples=totals.tuples)
        if after.rows != totals.tuples
        else "",
        _("branches, tellers and accounts grew by {grown}, history shows {delta}").format(
            grown=grown, delta=after.delta
        )
        if set(grown) != {after.delta}
        else "",
        _("its lines report {reported} transactions").format(reported=reported)
        if reported > totals.tuples * (1 + _ROUNDING) + 1
        else "",
    ]
    words = _("{rows} transactions in history, all balances grew by {delta}").format(rows=after.rows, delta=after.delta)
    return LoadCheck(not any(flaws), "; ".join([words, *filter(None, flaws)]))


def open_workload(load: LoadSpec) -> TpcbWorkload:
    """Return the database side of one load."""
    return TpcbWorkload(load)
