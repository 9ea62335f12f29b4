"""Tables of the brokerage load: load, restore before each block, check after it."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from scheduler.databases.protocols import WorkloadSession
from scheduler.loads.brokerage import brokerage_differences, conditions, inputs, trade_book
from scheduler.loads.brokerage.brokerage_users import TRADES_CHANGED
from scheduler.loads.brokerage.generator import BrokerageRows
from scheduler.loads.brokerage.prices import COMPLETED
from scheduler.loads.brokerage.size import CHANGED, DAYS, FORMAT, TABLES, brokerage_size
from scheduler.loads.brokerage.write_transactions import SOLD_AT_A_PRICE
from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.tables.table_dialects import TABLE_DIALECTS
from scheduler.loads.tables.table_set import DatabaseTable, TableDesign, TableSet
from scheduler.loads.tables.table_workload import TableWorkload
from scheduler.loads.user_messages import UserTotals
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec
from scheduler.translation import _

COLUMNS: dict[str, tuple[str, ...]] = {
    "customer": (
        *("c_id int", "c_tier int", "c_l_name varchar(25)", "c_f_name varchar(20)", "c_email varchar(50)"),
        *("c_rate decimal(6, 4)", "c_fee decimal(8, 2)", "c_tax decimal(6, 4)"),
    ),
    "security": (
        *("s_id int", "s_symb char(7)", "s_industry int", "s_name varchar(70)", "s_num_out bigint"),
        *("s_exch char(6)", "s_pe decimal(8, 2)", "s_dividend decimal(8, 2)", "s_about varchar(150)"),
    ),
    "daily_market": (
        *("dm_s_id int", "dm_day int", "dm_close decimal(8, 2)", "dm_high decimal(8, 2)", "dm_low decimal(8, 2)"),
        "dm_vol bigint",
    ),
    "watch_item": ("wi_c_id int", "wi_s_id int"),
    "account": (
        *("ca_id int", "ca_c_id int", "ca_b_id int", "ca_name varchar(50)", "ca_start decimal(14, 2)"),
        "ca_bal decimal(14, 2)",
    ),
    "broker": ("b_id int", "b_name varchar(49)", "b_num_trades int", "b_comm_total decimal(14, 2)"),
    "last_trade": (
        *("lt_s_id int", "lt_dts {moment}", "lt_price decimal(8, 2)", "lt_open decimal(8, 2)", "lt_vol bigint"),
    ),
    "trade": (
        *("t_id {numbered}", "t_dts {moment}", "t_status char(4)", "t_type char(3)", "t_is_cash int", "t_s_id int"),
        *("t_qty int", "t_bid_price decimal(8, 2)", "t_ca_id int", "t_b_id int", "t_exec_name varchar(60)"),
        *("t_trade_price decimal(8, 2) NULL", "t_chrg decimal(10, 2)", "t_comm decimal(10, 2)"),
        *("t_tax decimal(10, 2)", "t_lifo int", "t_changes int"),
    ),
    "trade_history": ("th_t_id bigint", "th_dts {moment}", "th_st char(4)"),
    "holding": (
        *("h_t_id bigint", "h_ca_id int", "h_s_id int", "h_dts {moment}", "h_price decimal(8, 2)", "h_qty int"),
    ),
    "holding_summary": ("hs_ca_id int", "hs_s_id int", "hs_qty int"),
    "cash_transaction": ("ct_t_id bigint", "ct_dts {moment}", "ct_amt decimal(12, 2)", "ct_name varchar(100)"),
}
"""Table to its columns. Only `t_trade_price` can be NULL."""

KEYS = {
    "customer": "c_id",
    "security": "s_id",
    "daily_market": "dm_s_id, dm_day",
    "watch_item": "wi_c_id, wi_s_id",
    "account": "ca_id",
    "broker": "b_id",
    "last_trade": "lt_s_id",
    "trade": "t_id",
    "trade_history": "th_t_id, th_st",
    "holding": "h_t_id",
    "holding_summary": "hs_ca_id, hs_s_id",
    "cash_transaction": "ct_t_id",
}

INDEXES = (
    "CREATE INDEX security_industry ON @.security (s_industry)",
    "CREATE INDEX account_customer ON @.account (ca_c_id)",
    "CREATE INDEX trade_account ON @.trade (t_ca_id, t_id)",
    "CREATE INDEX trade_security ON @.trade (t_s_id, t_id)",
    "CREATE INDEX holding_account ON @.holding (h_ca_id, h_s_id)",
)

WAITING_INDEX = {
    "postgresql": "CREATE INDEX trade_waiting ON @.trade (t_s_id) WHERE t_status = 'PNDG'",
    "mariadb": "CREATE INDEX trade_waiting ON @.trade (t_status, t_s_id)",  # MariaDB has no partial indexes
}
"""Database to the statement for the index that finds waiting limit orders."""

RESTART_NUMBERS = {"postgresql": "ALTER TABLE @.trade ALTER COLUMN t_id RESTART WITH {next}"}
"""Database to the statement that makes `{next}` the number of the next trade. MariaDB needs none."""

BROKERAGE_TABLES = {name: DatabaseTable(name, ", ".join(COLUMNS[name]), KEYS[name]) for name in TABLES}
"""Table name to table."""


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
        super().__init__(load, _("the brokerage"))
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
            (said.get(inputs.TRADE_ORDER, 0), after.trades - before.trades, _("new trades")),
            (said.get(inputs.TRADE_RESULT, 0), after.completed - before.completed, _("completed trades")),
            (renamed, after.changes - before.changes, _("changed names in trades")),
            (said.get(inputs.MARKET_FEED, 0), feeds, _("feeds of prices")),
        )
        found = [
            *(
                _("the users committed {users} {what}").format(users=users, what=what)
                for users, tables, what in compared
                if users != tables
            ),
            _("{left} pieces were sold that no feed of prices sells").format(left=left) if left else "",
            *flaws,
        ]
        held = (
            ""
            if flaws
            else _("; conditions {number} hold").format(
                number=", ".join(str(each.number) for each in conditions.CONDITIONS)
            )
        )
        words = _("the tables have {names}{held}").format(
            names=", ".join((f"{tables} {what}" for _, tables, what in compared)), held=held
        )
        return LoadCheck(not any(found), "; ".join([words, *filter(None, found)]))

    def differences(self, spec: RunSpec, facts: HostProperties, versions: Mapping[str, str]) -> tuple[str, ...]:
        dialect = TABLE_DIALECTS[self.load.dialect]
        return brokerage_differences.difference_sentences(self.load, dialect, facts, versions)


def open_workload(load: LoadSpec) -> BrokerageWorkload:
    """Return the database side of one load."""
    return BrokerageWorkload(load)
