"""The tables' side of the brokerage: loaded once, restored before each block, checked after it."""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.databases.protocols import WorkloadSession
from scheduler.loads.brokerage import brokerage_differences, brokerage_loading, conditions, inputs
from scheduler.loads.brokerage.brokerage_schema import BrokerageDialect
from scheduler.loads.brokerage.brokerage_users import TRADES_CHANGED
from scheduler.loads.brokerage.on_mariadb import MARIADB
from scheduler.loads.brokerage.on_postgresql import POSTGRESQL
from scheduler.loads.brokerage.prices import COMPLETED
from scheduler.loads.brokerage.size import brokerage_size
from scheduler.loads.brokerage.write_transactions import SOLD_AT_A_PRICE
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.restorable_tables import RestorableTables
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec

DIALECTS: Mapping[str, BrokerageDialect] = {"postgresql": POSTGRESQL, "mariadb": MARIADB}

_STATE = (
    f"SELECT count(*), sum(CASE WHEN t_status = '{COMPLETED}' THEN 1 ELSE 0 END), sum(t_changes),"
    " (SELECT sum(lt_vol) FROM @.last_trade) FROM @.trade"
)


class BrokerageState(msgspec.Struct, frozen=True):
    """What the tables hold: trades, those completed, changes of names in trades, and pieces sold at new prices."""

    trades: int
    completed: int
    changes: int
    volume: int


class BrokerageWorkload(RestorableTables[BrokerageState, BrokerageDialect]):
    """The tables of one load.

    Args:
        load: The load of the plan.
    """

    title = "the brokerage"
    dialects = DIALECTS

    def __init__(self, load: LoadSpec) -> None:
        super().__init__()
        self._load = load
        self._size = brokerage_size(load.values)

    def deviations(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        return brokerage_differences.difference_sentences(self._load, DIALECTS[self._load.engine], facts, versions)

    def refuse_foreign(self, session: WorkloadSession) -> None:
        brokerage_loading.refuse_foreign_tables(session, self._size)

    def is_loaded(self, session: WorkloadSession) -> bool:
        return brokerage_loading.is_loaded(session, self._size)

    def load(self, session: WorkloadSession, version: str) -> None:
        brokerage_loading.load_tables(session, self.dialect(session), self._size, version)

    def mark_complete(self, session: WorkloadSession) -> None:
        brokerage_loading.mark_complete(session, self._size)

    def restore(self, session: WorkloadSession) -> None:
        brokerage_loading.restore_tables(session, self.dialect(session), self._size)

    def lacking(self, session: WorkloadSession) -> list[str]:
        return brokerage_loading.row_count_flaws(session, self._size)

    def broken(self, session: WorkloadSession) -> list[str]:
        return conditions.condition_flaws(session, self._size)

    def state(self, session: WorkloadSession) -> BrokerageState:
        [found] = session.rows(self._size.named(_STATE))
        return BrokerageState(*map(int, found))

    def after_users(
        self, before: BrokerageState, after: BrokerageState, totals: UserTotals, flaws: Sequence[str]
    ) -> LoadCheck:
        return check_tables(before, after, totals, flaws)


def check_tables(before: BrokerageState, after: BrokerageState, totals: UserTotals, flaws: Sequence[str]) -> LoadCheck:
    """Compare the tables with what all users together say they committed.

    Args:
        before: The tables when they started.
        after: The tables when they had stopped.
        totals: All users together, warm-up and tail included.
        flaws: What breaks the conditions.
    """
    feeds, left = divmod(after.volume - before.volume, SOLD_AT_A_PRICE * inputs.PRICES)
    said = totals.sorts
    renamed = sum(
        int(answer.removeprefix(TRADES_CHANGED)) * times
        for answer, times in totals.answers.items()
        if answer.startswith(TRADES_CHANGED)
    )
    compared = (
        (said.get(inputs.TRADE_ORDER, 0), after.trades - before.trades, "new trades"),
        (said.get(inputs.TRADE_RESULT, 0), after.completed - before.completed, "completed trades"),
        (renamed, after.changes - before.changes, "changed names in trades"),
        (said.get(inputs.MARKET_FEED, 0), feeds, "feeds of prices"),
    )
    found = [
        *(f"the users committed {users} {what}" for users, tables, what in compared if users != tables),
        f"{left} pieces were sold that no feed of prices sells" if left else "",
        *flaws,
    ]
    held = "" if flaws else f"; conditions {', '.join(str(each.number) for each in conditions.CONDITIONS)} hold"
    words = f"the tables have {', '.join(f'{tables} {what}' for _, tables, what in compared)}{held}"
    return LoadCheck(not any(found), "; ".join([words, *filter(None, found)]))


def open_workload(load: LoadSpec) -> BrokerageWorkload:
    """Return the tables' side of one load."""
    return BrokerageWorkload(load)
