"""Tables of the brokerage load: load, restore before each block, check after it."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from scheduler.databases.protocols import WorkloadSession
from scheduler.loads.brokerage import brokerage_differences, conditions, inputs, trade_book
from scheduler.loads.brokerage.brokerage_schema import BROKERAGE_TABLES, INDEXES, RESTART_NUMBERS, WAITING_INDEX
from scheduler.loads.brokerage.brokerage_users import TRADES_CHANGED
from scheduler.loads.brokerage.generator import BrokerageRows
from scheduler.loads.brokerage.prices import COMPLETED
from scheduler.loads.brokerage.size import CHANGED, DAYS, FORMAT, brokerage_size
from scheduler.loads.brokerage.write_transactions import SOLD_AT_A_PRICE
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.tables.table_dialects import TABLE_DIALECTS
from scheduler.loads.tables.table_set import TableDesign, TableSet
from scheduler.loads.tables.table_workload import TableWorkload
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec

_STATE = (
    f"SELECT count(*), sum(CASE WHEN t_status = '{COMPLETED}' THEN 1 ELSE 0 END), sum(t_changes),"
    " (SELECT sum(lt_vol) FROM @.last_trade) FROM @.trade"
)


class BrokerageState(msgspec.Struct, frozen=True):
    """Contents of the tables that a check compares with the users' totals.

    Attributes:
        trades: Number of trades.
        completed: Number of completed trades.
        changes: Number of changes of names in trades.
        volume: Pieces sold at new prices.
    """

    trades: int
    completed: int
    changes: int
    volume: int


class BrokerageWorkload(TableWorkload[BrokerageState]):
    """Tables of one brokerage load."""

    def __init__(self, load: LoadSpec) -> None:
        super().__init__(load, "the brokerage")
        self._size = brokerage_size(load.values)

    def table_set(self, database: str) -> TableSet:
        size = self._size
        restart = RESTART_NUMBERS.get(database, "").format(next=size.trades + 1)
        return TableDesign(
            schema=size.schema,
            tables=tuple(BROKERAGE_TABLES.values()),
            form={"format": FORMAT, "seed": str(trade_book.SEED), "customers": str(size.customers)},
            changed=CHANGED,
            indexes=(*INDEXES, WAITING_INDEX[database]),
            restart=(restart,) if restart else (),
            expected_rows={
                "customer": size.customers,
                "account": size.accounts,
                "broker": size.brokers,
                "trade": size.trades,
                "watch_item": size.customers * size.watched_securities,
                "daily_market": size.securities * DAYS,
                **dict.fromkeys(("security", "last_trade"), size.securities),
            },
            conditions=conditions.CONDITIONS,
        ).on(database)

    def row_source(self) -> Callable[[str], Iterator[bytes]]:
        return BrokerageRows(self._size).rows

    def state(self, session: WorkloadSession) -> BrokerageState:
        [found] = session.rows(self._size.named(_STATE))
        return BrokerageState(*map(int, found))

    def compare(
        self, before: BrokerageState, after: BrokerageState, totals: UserTotals, flaws: Sequence[str]
    ) -> LoadCheck:
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

    def deviations(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        dialect = TABLE_DIALECTS[self.load.engine]
        return brokerage_differences.difference_sentences(self.load, dialect, facts, versions)


def open_workload(load: LoadSpec) -> BrokerageWorkload:
    """Return the database side of one load."""
    return BrokerageWorkload(load)
