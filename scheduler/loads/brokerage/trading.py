"""The four transactions that write: an order, its completion, other names in trades, and new prices."""

from scheduler.loads.brokerage import prices
from scheduler.loads.brokerage.inputs import Ended, MarketFeed, TradeOrder, TradeResult, TradeUpdate
from scheduler.loads.brokerage.lots import Closed, Lot, Settled, close_lots, settle
from scheduler.loads.brokerage.ordered import Ordered
from scheduler.loads.brokerage.prices import COMPLETED, SUBMITTED, WAITING, money
from scheduler.loads.brokerage.questions import Questions
from scheduler.loads.brokerage.statements import Statements, cents, listed, quoted
from scheduler.loads.outcome import Missed, Overtaken

SOLD_AT_A_PRICE = 100
"""Pieces that each new price adds to the volume of its security."""

_DUE = (
    f"(t_type = '{prices.LIMIT_SELL}' AND t_bid_price <= lt_price"
    f" OR t_type <> '{prices.LIMIT_SELL}' AND t_bid_price >= lt_price)"
)


class Trading:
    """One user's.

    Args:
        statements: The user's.
        questions: The user's.
    """

    def __init__(self, statements: Statements, questions: Questions) -> None:
        self._do = statements
        self._questions = questions

    def trade_order(self, order: TradeOrder) -> Ended:
        """Look up account, security and what is held of it; write the order down."""
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
        status = SUBMITTED if order.kind in prices.MARKET else WAITING
        number = self._numbered(
            "INSERT INTO @.trade (t_dts, t_status, t_type, t_is_cash, t_s_id, t_qty, t_bid_price, t_ca_id, t_b_id,"
            " t_exec_name, t_trade_price, t_chrg, t_comm, t_tax, t_lifo, t_changes) VALUES (current_timestamp,"
            f" '{status}', '{order.kind}', {int(order.is_cash)}, {order.security}, {order.pieces},"
            f" {money(order.cents or cents(price))}, {account}, {broker}, {quoted(f'{first} {last}')}, NULL, {fee},"
            f" 0, 0, {int(order.last_in)}, 0)"
        )
        do.must(f"INSERT INTO @.trade_history VALUES ({number}, current_timestamp, '{status}')")
        if order.undone:
            return Ended(undone=True)
        return Ended(submitted=(number,) if status == SUBMITTED else ())

    def _numbered(self, insert: str) -> int:
        """Write a trade down; return its number."""
        if self._do.on_postgresql:
            return int(self._do.one(f"{insert} RETURNING t_id")[0])
        self._do.must(insert)
        return int(self._do.one("SELECT last_insert_id()")[0])

    def trade_result(self, asked: TradeResult) -> Ended:
        """Carry an order out: holdings, trade, broker, account and cash."""
        do = self._do
        order = Ordered(asked.trade, do.one(Ordered.QUERY.format(asked.trade)))
        if order.status != SUBMITTED:
            raise Missed(f"trade {order.trade} of the queue is {order.status}, not {SUBMITTED}")
        # Who has the account's row has its lots: of two results for one account the second one waits here.
        do.one(f"SELECT ca_bal FROM @.account WHERE ca_id = {order.account} FOR UPDATE")
        closed = self._lots_closed(order)
        settled = settle(order.pieces, order.price, closed.gain_cents, order.terms)
        self._write_holdings(order, closed)
        self._write_result(order, settled)
        return Ended()

    def _lots_closed(self, order: Ordered) -> Closed:
        found = self._do.rows(
            f"SELECT h_t_id, h_qty, h_price FROM @.holding WHERE h_ca_id = {order.account}"
            f" AND h_s_id = {order.security} ORDER BY h_t_id{' DESC' if order.last_in else ''} FOR UPDATE"
        )
        lots = [Lot(int(row[0]), int(row[1]), cents(row[2])) for row in found]
        return close_lots(lots, order.pieces, order.price)

    def _write_holdings(self, order: Ordered, closed: Closed) -> None:
        do = self._do
        held = do.rows(f"SELECT hs_qty FROM @.holding_summary WHERE {order.where} FOR UPDATE")
        if not held:
            do.must(f"INSERT INTO @.holding_summary VALUES ({order.account}, {order.security}, {order.pieces})")
        elif int(held[0][0]) + order.pieces == 0:
            do.must(f"DELETE FROM @.holding_summary WHERE {order.where}")
        else:
            do.must(f"UPDATE @.holding_summary SET hs_qty = hs_qty + ({order.pieces}) WHERE {order.where}")
        if closed.gone:
            gone = f"DELETE FROM @.holding WHERE h_t_id IN ({listed(closed.gone)})"
            if do.change(gone) != len(closed.gone):
                raise Missed(f"the lots of account {order.account} changed while it was locked: {gone}")
        if closed.rest:
            do.must(f"UPDATE @.holding SET h_qty = {closed.rest.pieces} WHERE h_t_id = {closed.rest.trade}")
        if closed.new:
            do.must(
                f"INSERT INTO @.holding VALUES ({order.trade}, {order.account}, {order.security}, current_timestamp,"
                f" {money(order.price)}, {closed.new})"
            )

    def _write_result(self, order: Ordered, settled: Settled) -> None:
        do = self._do
        commission, cash = money(settled.commission_cents), money(settled.cash_cents if order.is_cash else 0)
        do.must(
            f"UPDATE @.trade SET t_status = '{COMPLETED}', t_dts = current_timestamp,"
            f" t_trade_price = {money(order.price)}, t_comm = {commission}, t_tax = {money(settled.tax_cents)}"
            f" WHERE t_id = {order.trade}"
        )
        do.must(f"INSERT INTO @.trade_history VALUES ({order.trade}, current_timestamp, '{COMPLETED}')")
        change = f"UPDATE @.account SET ca_bal = ca_bal + ({cash}) WHERE ca_id = {order.account}"
        if order.is_cash:
            words = f"'{order.kind} {abs(order.pieces)} of S{order.security:06}'"
            do.must(f"INSERT INTO @.cash_transaction VALUES ({order.trade}, current_timestamp, {cash}, {words})")
            do.must(change)
        else:  # above READ COMMITTED who waits for the account must learn that its lots changed
            do.change(change)
        do.must(  # last: few brokers have many customers
            f"UPDATE @.broker SET b_num_trades = b_num_trades + 1, b_comm_total = b_comm_total + {commission}"
            f" WHERE b_id = {order.broker}"
        )

    def trade_update(self, asked: TradeUpdate) -> Ended:
        """Look trades up, and put an X into the name of who carried them out, or take it away."""
        numbers = self._questions.looked_up(asked.chosen)
        if not numbers:
            return Ended()
        which = f"t_id IN ({listed(numbers)})"
        self._do.many(len(numbers), f"SELECT t_id FROM @.trade WHERE {which} ORDER BY t_id FOR UPDATE")
        changed = self._do.change(
            "UPDATE @.trade SET t_exec_name = CASE WHEN t_exec_name LIKE '% X %' THEN replace(t_exec_name, ' X ', ' ')"
            f" ELSE replace(t_exec_name, ' ', ' X ') END, t_changes = t_changes + 1 WHERE {which}"
        )
        if changed != len(numbers):
            raise Missed(f"{changed} of the {len(numbers)} trades {listed(numbers)} could be changed")
        return Ended(changed=changed)

    def market_feed(self, feed: MarketFeed) -> Ended:
        """Write prices down; limit orders that they make due go into the user's queue."""
        do = self._do
        which = listed(security for security, _ in feed.prices)
        query = f"SELECT lt_s_id FROM @.last_trade WHERE lt_s_id IN ({which}) ORDER BY lt_s_id FOR UPDATE"
        do.many(len(feed.prices), query)
        if do.change(self._new_prices(feed)) != len(feed.prices):
            raise Missed(f"not all of the securities {which} have a last trade")
        due = do.rows(
            f"SELECT t_id FROM @.trade JOIN @.last_trade ON lt_s_id = t_s_id WHERE t_s_id IN ({which})"
            f" AND t_status = '{WAITING}' AND {_DUE} ORDER BY t_id"
        )
        numbers = tuple(int(row[0]) for row in due)
        if numbers:
            change = f"UPDATE @.trade SET t_status = '{SUBMITTED}' WHERE t_id IN ({listed(numbers)})"
            if do.change(f"{change} AND t_status = '{WAITING}'") != len(numbers):
                raise Overtaken
            written = ",".join(f"({number}, current_timestamp, '{SUBMITTED}')" for number in numbers)
            do.change(f"INSERT INTO @.trade_history VALUES {written}")
        return Ended(submitted=numbers)

    def _new_prices(self, feed: MarketFeed) -> str:
        change = f"lt_price = price, lt_vol = lt_vol + {SOLD_AT_A_PRICE}, lt_dts = current_timestamp"
        if self._do.on_postgresql:
            values = ",".join(f"({security},{money(price)})" for security, price in feed.prices)
            return f"UPDATE @.last_trade SET {change} FROM (VALUES {values}) AS news (fed, price) WHERE lt_s_id = fed"
        first, *others = ((security, money(price)) for security, price in feed.prices)
        named = f"{first[0]} AS fed,{first[1]} AS price"  # names the columns
        fed = " UNION ALL SELECT ".join((named, *(f"{security},{price}" for security, price in others)))
        return f"UPDATE @.last_trade JOIN (SELECT {fed}) AS news ON lt_s_id = fed SET {change}"
