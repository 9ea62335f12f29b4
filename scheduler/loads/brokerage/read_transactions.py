"""The six read-only transactions, and the selection of trades to look up."""

from collections.abc import Sequence

from scheduler.databases.protocols import Row
from scheduler.loads.brokerage import inputs
from scheduler.loads.brokerage.inputs import TradeSelection
from scheduler.loads.brokerage.prices import COMPLETED, WAITING
from scheduler.loads.brokerage.size import ACCOUNTS
from scheduler.loads.brokerage.user_statements import UserStatements, number_list
from scheduler.loads.transaction_outcome import RowNotFound

_STATUS_TRADES = 50
_HISTORY_TRADES = 10
_CASH = "LEFT JOIN @.cash_transaction ON ct_t_id = t_id"
_LOOKED_UP = "SELECT t_id, t_bid_price, t_exec_name, t_is_cash, t_trade_price, ct_amt, ct_dts, ct_name FROM"


class ReadTransactions:
    """Read-only transactions of one user.

    Args:
        statements: Statements of the user.
    """

    def __init__(self, statements: UserStatements) -> None:
        self._ask = statements

    def trade_status(self, asked: inputs.TradeStatusInput) -> None:
        """Query the last 50 trades of an account, and its customer and broker."""
        self._ask.one(
            "SELECT t_id, t_dts, t_status, t_type, s_symb, t_qty, t_exec_name, t_chrg, s_name, s_exch FROM @.trade"
            f" JOIN @.security ON s_id = t_s_id WHERE t_ca_id = {asked.account} ORDER BY t_id DESC"
            f" LIMIT {_STATUS_TRADES}"
        )
        self._ask.one(
            "SELECT c_l_name, c_f_name, b_name FROM @.account JOIN @.customer ON c_id = ca_c_id"
            f" JOIN @.broker ON b_id = ca_b_id WHERE ca_id = {asked.account}"
        )

    def market_watch(self, asked: inputs.MarketWatchInput) -> None:
        """Query the value of securities on a day, and their value now.

        Raises:
            RowNotFound: The market of that day is unknown.
        """
        tables, which = "@.security", f"s_industry = {asked.industry}"
        if asked.customer:
            tables, which = "@.watch_item JOIN @.security ON s_id = wi_s_id", f"wi_c_id = {asked.customer}"
        before, now = self._ask.one(
            f"SELECT sum(s_num_out * dm_close), sum(s_num_out * lt_price) FROM {tables} JOIN @.last_trade"
            f" ON lt_s_id = s_id JOIN @.daily_market ON dm_s_id = s_id AND dm_day = {asked.day} WHERE {which}"
        )
        if before is None or now is None:
            raise RowNotFound(f"nothing is known of the market on day {asked.day} where {which}")

    def security_detail(self, asked: inputs.SecurityDetailInput) -> None:
        """Query a security, its last price, and some days of its market."""
        self._ask.one(
            "SELECT s_symb, s_name, s_industry, s_num_out, s_exch, s_pe, s_dividend, s_about, lt_price, lt_open, lt_vol"
            f" FROM @.security JOIN @.last_trade ON lt_s_id = s_id WHERE s_id = {asked.security}"
        )
        self._ask.query_exactly(
            asked.days,
            "SELECT dm_day, dm_close, dm_high, dm_low, dm_vol FROM @.daily_market"
            f" WHERE dm_s_id = {asked.security} AND dm_day >= {asked.first_day} ORDER BY dm_day LIMIT {asked.days}",
        )

    def customer_position(self, asked: inputs.CustomerPositionInput) -> None:
        """Query the worth of a customer's accounts, and the history of the last trades."""
        self._ask.one(f"SELECT c_l_name, c_f_name, c_tier, c_email FROM @.customer WHERE c_id = {asked.customer}")
        self._ask.query_exactly(
            ACCOUNTS,
            "SELECT ca_id, ca_bal, coalesce(sum(hs_qty * lt_price), 0) AS worth FROM @.account"
            " LEFT JOIN @.holding_summary ON hs_ca_id = ca_id LEFT JOIN @.last_trade ON lt_s_id = hs_s_id"
            f" WHERE ca_c_id = {asked.customer} GROUP BY ca_id, ca_bal ORDER BY worth",
        )
        if asked.account:
            self._ask.one(
                "SELECT t_id, s_symb, t_qty, th_st, th_dts FROM (SELECT t_id, t_s_id, t_qty FROM @.trade"
                f" WHERE t_ca_id = {asked.account} ORDER BY t_id DESC LIMIT {_HISTORY_TRADES}) AS last"
                " JOIN @.security ON s_id = t_s_id JOIN @.trade_history ON th_t_id = t_id"
                " ORDER BY t_id DESC, th_dts DESC"
            )

    def broker_volume(self, asked: inputs.BrokerVolumeInput) -> None:
        """Query the volume of the limit orders that wait at some brokers.

        The result may be empty.
        """
        self._ask.rows(
            "SELECT b_name, sum(t_qty * t_bid_price) AS volume FROM @.trade JOIN @.broker ON b_id = t_b_id"
            f" WHERE t_status = '{WAITING}' AND t_b_id IN ({number_list(asked.brokers)}) GROUP BY b_name"
            " ORDER BY volume DESC"
        )

    def trade_lookup(self, asked: inputs.TradeLookupInput) -> None:
        """Query trades with their cash and history."""
        self.look_up_trades(asked.chosen)

    def look_up_trades(self, chosen: TradeSelection) -> tuple[int, ...]:
        """Query the selected trades and their history; return their numbers in order.

        The result may be empty.
        """
        numbers = tuple(int(row[0]) for row in self._select_trades(chosen))
        if numbers:
            self._ask.one(
                f"SELECT th_t_id, th_dts, th_st FROM @.trade_history WHERE th_t_id IN ({number_list(numbers)})"
                " ORDER BY th_t_id, th_dts"
            )
        return numbers

    def _select_trades(self, chosen: TradeSelection) -> Sequence[Row]:
        most = inputs.MOST_TRADES
        if chosen.way == inputs.BY_NUMBER:
            which = f"t_id IN ({number_list(chosen.trades)})"
            return self._ask.query_exactly(most, f"{_LOOKED_UP} @.trade {_CASH} WHERE {which} ORDER BY t_id")
        if chosen.way == inputs.BY_HOLDING:
            lots = f"SELECT h_t_id FROM @.holding WHERE h_ca_id = {chosen.whose} ORDER BY h_t_id LIMIT {most}"
            return self._ask.rows(f"{_LOOKED_UP} ({lots}) AS lots JOIN @.trade ON t_id = h_t_id {_CASH} ORDER BY t_id")
        column = "t_ca_id" if chosen.way == inputs.BY_ACCOUNT else "t_s_id"
        which = f"{column} = {chosen.whose} AND t_id >= {chosen.first} AND t_status = '{COMPLETED}'"
        return self._ask.rows(f"{_LOOKED_UP} @.trade {_CASH} WHERE {which} ORDER BY t_id LIMIT {most}")
