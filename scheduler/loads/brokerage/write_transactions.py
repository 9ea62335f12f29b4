"""The four transactions that write: order, result, update and market feed."""

from scheduler.databases.protocols import Row
from scheduler.loads.brokerage import prices
from scheduler.loads.brokerage.inputs import (
    MarketFeedInput,
    TradeOrderInput,
    TradeResultInput,
    TradeUpdateInput,
    TransactionResult,
)
from scheduler.loads.brokerage.lots import (
    CustomerTerms,
    LotChanges,
    SecurityLot,
    TradeSettlement,
    close_lots,
    settle_trade,
)
from scheduler.loads.brokerage.prices import BUYING_KINDS, COMPLETED, SUBMITTED, WAITING, money_text
from scheduler.loads.brokerage.read_transactions import ReadTransactions
from scheduler.loads.brokerage.user_statements import (
    UserStatements,
    money_cents,
    number_list,
    quote_text,
    rate_ten_thousandths,
)
from scheduler.loads.transaction_outcome import RowNotFound, SerializationConflict


class QueuedOrder:
    """Order of a user's queue, read from its row.

    Args:
        trade: Number of the trade.
        row: Row that `QUERY` returns.
    """

    QUERY = (
        "SELECT t_status, t_ca_id, t_b_id, t_s_id, t_type, t_qty, t_is_cash, t_lifo, lt_price, c_rate, c_fee, c_tax"
        " FROM @.trade JOIN @.last_trade ON lt_s_id = t_s_id JOIN @.account ON ca_id = t_ca_id"
        " JOIN @.customer ON c_id = ca_c_id WHERE t_id = {}"
    )

    def __init__(self, trade: int, row: Row) -> None:
        status, account, broker, security, kind, pieces, is_cash, last_in, price, rate, fee, tax = row
        self.trade, self.status = trade, str(status)
        self.account, self.broker, self.security = int(account), int(broker), int(security)
        self.kind, self.price = str(kind), money_cents(price)
        self.pieces = int(pieces) if self.kind in BUYING_KINDS else -int(pieces)
        self.is_cash, self.last_in = bool(is_cash), bool(last_in)
        self.terms = CustomerTerms(rate_ten_thousandths(rate), money_cents(fee), rate_ten_thousandths(tax))

    @property
    def where(self) -> str:
        """SQL condition for the order's row of the holding summary."""
        return f"hs_ca_id = {self.account} AND hs_s_id = {self.security}"


SOLD_AT_A_PRICE = 100
"""Pieces that each new price adds to the volume of its security."""

_DUE = (
    f"(t_type = '{prices.LIMIT_SELL}' AND t_bid_price <= lt_price"
    f" OR t_type <> '{prices.LIMIT_SELL}' AND t_bid_price >= lt_price)"
)


class WriteTransactions:
    """Writing transactions of one user.

    Args:
        statements: Statements of the user.
        questions: Read-only transactions of the user, which select trades to update.
    """

    def __init__(self, statements: UserStatements, questions: ReadTransactions) -> None:
        self._do = statements
        self._questions = questions

    def trade_order(self, order: TradeOrderInput) -> TransactionResult:
        """Look up account, security and holding; insert the order."""
        do = self._do
        account = order.account
        first, last, broker, fee = do.one(
            "SELECT c_f_name, c_l_name, ca_b_id, c_fee, ca_bal, c_tier, b_name FROM @.account"
            " JOIN @.customer ON c_id = ca_c_id JOIN @.broker ON b_id = ca_b_id"
            f" WHERE ca_id = {account}"
        )[:4]
        price = do.one(
            "SELECT lt_price, s_name, s_symb FROM @.security JOIN @.last_trade ON lt_s_id = s_id"
            f" WHERE s_id = {order.security}"
        )[0]
        do.rows(f"SELECT hs_qty FROM @.holding_summary WHERE hs_ca_id = {account} AND hs_s_id = {order.security}")
        status = SUBMITTED if order.kind in prices.MARKET_ORDER_KINDS else WAITING
        number = self._insert_trade(
            "INSERT INTO @.trade (t_dts, t_status, t_type, t_is_cash, t_s_id, t_qty, t_bid_price, t_ca_id, t_b_id,"
            " t_exec_name, t_trade_price, t_chrg, t_comm, t_tax, t_lifo, t_changes) VALUES (current_timestamp,"
            f" '{status}', '{order.kind}', {int(order.is_cash)}, {order.security}, {order.pieces},"
            f" {money_text(order.cents or money_cents(price))}, {account}, {broker}, "
            f"{quote_text(f'{first} {last}')}, NULL, {fee},"
            f" 0, 0, {int(order.last_in)}, 0)"
        )
        do.change_one_row(f"INSERT INTO @.trade_history VALUES ({number}, current_timestamp, '{status}')")
        if order.undone:
            return TransactionResult(undone=True)
        return TransactionResult(submitted=(number,) if status == SUBMITTED else ())

    def _insert_trade(self, insert: str) -> int:
        """Insert a trade; return its number."""
        if self._do.on_postgresql:
            return int(self._do.one(f"{insert} RETURNING t_id")[0])
        self._do.change_one_row(insert)
        return int(self._do.one("SELECT last_insert_id()")[0])

    def trade_result(self, asked: TradeResultInput) -> TransactionResult:
        """Complete an order: update holdings, trade, broker, account and cash."""
        do = self._do
        order = QueuedOrder(asked.trade, do.one(QueuedOrder.QUERY.format(asked.trade)))
        if order.status != SUBMITTED:
            raise RowNotFound(f"trade {order.trade} of the queue is {order.status}, not {SUBMITTED}")
        # The lock on the account's row protects its lots: a second result for the account waits here.
        do.one(f"SELECT ca_bal FROM @.account WHERE ca_id = {order.account} FOR UPDATE")
        closed = self._close_lots(order)
        settled = settle_trade(order.pieces, order.price, closed.gain_cents, order.terms)
        self._write_holdings(order, closed)
        self._write_result(order, settled)
        return TransactionResult()

    def _close_lots(self, order: QueuedOrder) -> LotChanges:
        found = self._do.rows(
            f"SELECT h_t_id, h_qty, h_price FROM @.holding WHERE h_ca_id = {order.account}"
            f" AND h_s_id = {order.security} ORDER BY h_t_id{' DESC' if order.last_in else ''} FOR UPDATE"
        )
        lots = [SecurityLot(int(row[0]), int(row[1]), money_cents(row[2])) for row in found]
        return close_lots(lots, order.pieces, order.price)

    def _write_holdings(self, order: QueuedOrder, closed: LotChanges) -> None:
        do = self._do
        held = do.rows(f"SELECT hs_qty FROM @.holding_summary WHERE {order.where} FOR UPDATE")
        if not held:
            do.change_one_row(
                f"INSERT INTO @.holding_summary VALUES ({order.account}, {order.security}, {order.pieces})"
            )
        elif int(held[0][0]) + order.pieces == 0:
            do.change_one_row(f"DELETE FROM @.holding_summary WHERE {order.where}")
        else:
            do.change_one_row(f"UPDATE @.holding_summary SET hs_qty = hs_qty + ({order.pieces}) WHERE {order.where}")
        if closed.gone:
            gone = f"DELETE FROM @.holding WHERE h_t_id IN ({number_list(closed.gone)})"
            if do.change(gone) != len(closed.gone):
                raise RowNotFound(f"the lots of account {order.account} changed while it was locked: {gone}")
        if closed.rest:
            do.change_one_row(f"UPDATE @.holding SET h_qty = {closed.rest.pieces} WHERE h_t_id = {closed.rest.trade}")
        if closed.new:
            do.change_one_row(
                f"INSERT INTO @.holding VALUES ({order.trade}, {order.account}, {order.security}, current_timestamp,"
                f" {money_text(order.price)}, {closed.new})"
            )

    def _write_result(self, order: QueuedOrder, settled: TradeSettlement) -> None:
        do = self._do
        commission, cash = money_text(settled.commission_cents), money_text(settled.cash_cents if order.is_cash else 0)
        do.change_one_row(
            f"UPDATE @.trade SET t_status = '{COMPLETED}', t_dts = current_timestamp,"
            f" t_trade_price = {money_text(order.price)}, t_comm = {commission}, t_tax = "
            f"{money_text(settled.tax_cents)}"
            f" WHERE t_id = {order.trade}"
        )
        do.change_one_row(f"INSERT INTO @.trade_history VALUES ({order.trade}, current_timestamp, '{COMPLETED}')")
        change = f"UPDATE @.account SET ca_bal = ca_bal + ({cash}) WHERE ca_id = {order.account}"
        if order.is_cash:
            words = f"'{order.kind} {abs(order.pieces)} of S{order.security:06}'"
            do.change_one_row(
                f"INSERT INTO @.cash_transaction VALUES ({order.trade}, current_timestamp, {cash}, {words})"
            )
            do.change_one_row(change)
        else:  # above READ COMMITTED, users waiting for the account must see that its lots changed
            do.change(change)
        do.change_one_row(  # last, because few brokers serve many customers
            f"UPDATE @.broker SET b_num_trades = b_num_trades + 1, b_comm_total = b_comm_total + {commission}"
            f" WHERE b_id = {order.broker}"
        )

    def trade_update(self, asked: TradeUpdateInput) -> TransactionResult:
        """Look trades up, and add an X to the name of the executor or remove the X."""
        numbers = self._questions.look_up_trades(asked.chosen)
        if not numbers:
            return TransactionResult()
        which = f"t_id IN ({number_list(numbers)})"
        self._do.query_exactly(len(numbers), f"SELECT t_id FROM @.trade WHERE {which} ORDER BY t_id FOR UPDATE")
        changed = self._do.change(
            "UPDATE @.trade SET t_exec_name = CASE WHEN t_exec_name LIKE '% X %' THEN replace(t_exec_name, ' X ', ' ')"
            f" ELSE replace(t_exec_name, ' ', ' X ') END, t_changes = t_changes + 1 WHERE {which}"
        )
        if changed != len(numbers):
            raise RowNotFound(f"{changed} of the {len(numbers)} trades {number_list(numbers)} could be changed")
        return TransactionResult(changed=changed)

    def market_feed(self, feed: MarketFeedInput) -> TransactionResult:
        """Update prices; submit the limit orders that the new prices reach."""
        do = self._do
        which = number_list(security for security, _ in feed.prices)
        query = f"SELECT lt_s_id FROM @.last_trade WHERE lt_s_id IN ({which}) ORDER BY lt_s_id FOR UPDATE"
        do.query_exactly(len(feed.prices), query)
        if do.change(self._price_update(feed)) != len(feed.prices):
            raise RowNotFound(f"not all of the securities {which} have a last trade")
        due = do.rows(
            f"SELECT t_id FROM @.trade JOIN @.last_trade ON lt_s_id = t_s_id WHERE t_s_id IN ({which})"
            f" AND t_status = '{WAITING}' AND {_DUE} ORDER BY t_id"
        )
        numbers = tuple(int(row[0]) for row in due)
        if numbers:
            change = f"UPDATE @.trade SET t_status = '{SUBMITTED}' WHERE t_id IN ({number_list(numbers)})"
            if do.change(f"{change} AND t_status = '{WAITING}'") != len(numbers):
                raise SerializationConflict
            written = ",".join(f"({number}, current_timestamp, '{SUBMITTED}')" for number in numbers)
            do.change(f"INSERT INTO @.trade_history VALUES {written}")
        return TransactionResult(submitted=numbers)

    def _price_update(self, feed: MarketFeedInput) -> str:
        change = f"lt_price = price, lt_vol = lt_vol + {SOLD_AT_A_PRICE}, lt_dts = current_timestamp"
        if self._do.on_postgresql:
            values = ",".join(f"({security},{money_text(price)})" for security, price in feed.prices)
            return f"UPDATE @.last_trade SET {change} FROM (VALUES {values}) AS news (fed, price) WHERE lt_s_id = fed"
        first, *others = ((security, money_text(price)) for security, price in feed.prices)
        named = f"{first[0]} AS fed,{first[1]} AS price"  # the first row names the columns
        fed = " UNION ALL SELECT ".join((named, *(f"{security},{price}" for security, price in others)))
        return f"UPDATE @.last_trade JOIN (SELECT {fed}) AS news ON lt_s_id = fed SET {change}"
