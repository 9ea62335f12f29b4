"""Generator of the initial rows as CSV: equal bytes for a size on every machine."""

from collections.abc import Iterable, Iterator

import numpy as np

from scheduler.loads.brokerage import prices
from scheduler.loads.brokerage.size import ACCOUNTS, DAYS, BrokerageSize
from scheduler.loads.brokerage.trade_book import BookedTrade, TradeBook, table_stream

Rows = Iterator[tuple[object, ...]]

_BEGIN = np.datetime64("2025-12-01T00:00:00")
_SPAN_S = DAYS * 86_400
_CARRIED_OUT_S = 2
"""Seconds from an order to its completion."""

_STARTED_WITH = 10_000_000
"""Cents on each account before its first trade."""

_CHUNK_ROWS = 10_000


class BrokerageRows:
    """Initial rows of all tables of one size.

    Args:
        size: Size of the database.
    """

    def __init__(self, size: BrokerageSize) -> None:
        self._size = size
        self._book = TradeBook(size)
        self._names = _customer_names(size)

    def rows(self, table: str) -> Iterator[bytes]:
        """Yield a table's rows as CSV without quotes, up to 10,000 rows at a time."""
        made: dict[str, Rows] = {
            "customer": self._customer_rows(),
            "security": self._security_rows(),
            "daily_market": self._daily_market_rows(),
            "watch_item": self._watch_item_rows(),
            "account": self._account_rows(),
            "broker": self._broker_rows(),
            "last_trade": self._last_trade_rows(),
            "trade": self._trade_rows(),
            "trade_history": self._history_rows(),
            "holding": self._holding_rows(),
            "holding_summary": self._summary_rows(),
            "cash_transaction": self._cash_rows(),
        }
        lines: list[str] = []
        for row in made[table]:
            lines.append(",".join(map(str, row)))
            if len(lines) == _CHUNK_ROWS:
                yield _csv_chunk(lines)
                lines = []
        if lines:
            yield _csv_chunk(lines)

    def _customer_rows(self) -> Rows:
        book = self._book
        for number, (first, last) in enumerate(self._names, start=1):
            terms = book.terms[number - 1]
            who = (number, book.tiers[number - 1], last, first, f"{first}@example.org")
            yield *who, f"0.{terms.rate:04}", prices.money_text(terms.fee_cents), f"0.{terms.tax:04}"

    def _security_rows(self) -> Rows:
        stream, many = table_stream("security"), self._size.securities
        names, about = stream.texts(20, 60, many), stream.texts(80, 150, many)
        out, earned = stream.numbers(10**6, 10**9, many), stream.numbers(100, 9_999, many)
        for at in range(many):
            who = (at + 1, f"S{at + 1:06}", at % self._size.industries + 1, names[at], out[at], "DOMTUN")
            yield *who, prices.money_text(earned[at]), prices.money_text(earned[at] // 50), about[at]

    def _daily_market_rows(self) -> Rows:
        stream, many = table_stream("daily_market"), self._size.securities * DAYS
        swing = stream.numbers(-prices.SWING_PERMILLE, prices.SWING_PERMILLE, many)
        volume = stream.numbers(1, 9_999, many)
        for at in range(many):
            security = at // DAYS + 1
            close = prices.moved_cents(security, swing[at])
            high, low = close * 101 // 100, close * 99 // 100
            yield security, at % DAYS + 1, *map(prices.money_text, (close, high, low)), 100 * volume[at]

    def _watch_item_rows(self) -> Rows:
        """Yield the watched securities of each customer: neighbours of a random security."""
        starts = table_stream("watch_item").numbers(0, self._size.securities - 1, self._size.customers)
        for customer, start in enumerate(starts, start=1):
            for place in range(self._size.watched_securities):
                yield customer, (start + place) % self._size.securities + 1

    def _account_rows(self) -> Rows:
        moved = [0] * self._size.accounts
        for trade in self._book.trades:
            moved[trade.account - 1] += trade.cash
        names = table_stream("account").texts(10, 40, self._size.accounts)
        for at, name in enumerate(names):
            start, now = _STARTED_WITH, _STARTED_WITH + moved[at]
            who = (at + 1, at // ACCOUNTS + 1, self._book.broker(at + 1), name)
            yield *who, prices.money_text(start), prices.money_text(now)

    def _broker_rows(self) -> Rows:
        trades, earned = [0] * self._size.brokers, [0] * self._size.brokers
        for _, trade in self._completed_trades():
            at = self._book.broker(trade.account) - 1
            trades[at] += 1
            earned[at] += trade.commission
        names = table_stream("broker").texts(10, 40, self._size.brokers)
        for at, name in enumerate(names):
            yield at + 1, name, trades[at], prices.money_text(earned[at])

    def _last_trade_rows(self) -> Rows:
        when = str(_BEGIN + _SPAN_S)
        for security in range(1, self._size.securities + 1):
            price = prices.money_text(prices.usual_cents(security))
            yield security, when, price, price, 0

    def _trade_rows(self) -> Rows:
        for (number, trade), when in zip(enumerate(self._book.trades, start=1), self._trade_moments(), strict=True):
            done = number <= self._size.completed
            price, terms = prices.money_text(trade.cents), self._book.terms[(trade.account - 1) // ACCOUNTS]
            yield (
                *(number, when, prices.COMPLETED if done else prices.WAITING, trade.kind, int(trade.is_cash)),
                *(trade.security, trade.pieces, price, trade.account, self._book.broker(trade.account)),
                *(" ".join(self._names[(trade.account - 1) // ACCOUNTS]), price if done else ""),
                *map(prices.money_text, (terms.fee_cents, trade.commission, trade.tax)),
                *(int(trade.last_in), 0),
            )

    def _history_rows(self) -> Rows:
        ended = self._trade_moments(_CARRIED_OUT_S)
        for (number, trade), when, end in zip(
            enumerate(self._book.trades, start=1), self._trade_moments(), ended, strict=True
        ):
            if trade.kind in prices.LIMIT_ORDER_KINDS:
                yield number, when, prices.WAITING
            if number <= self._size.completed:
                yield number, when, prices.SUBMITTED
                yield number, end, prices.COMPLETED

    def _holding_rows(self) -> Rows:
        moments = self._trade_moments(_CARRIED_OUT_S)
        lots = ((lot, *whose) for whose, lots in self._book.lots.items() for lot in lots)
        for lot, account, security in sorted(lots, key=lambda each: each[0].trade):  # rows in the order of the key
            yield lot.trade, account, security, moments[lot.trade - 1], prices.money_text(lot.cents), lot.pieces

    def _summary_rows(self) -> Rows:
        for (account, security), lots in sorted(self._book.lots.items()):
            if lots:
                yield account, security, sum(lot.pieces for lot in lots)

    def _cash_rows(self) -> Rows:
        moments = self._trade_moments(_CARRIED_OUT_S)
        for number, trade in self._completed_trades():
            if trade.is_cash:
                words = f"{trade.kind} {trade.pieces} of S{trade.security:06}"
                yield number, moments[number - 1], prices.money_text(trade.cash), words

    def _completed_trades(self) -> Iterable[tuple[int, BookedTrade]]:
        return enumerate(self._book.trades[: self._size.completed], start=1)

    def _trade_moments(self, later_s: int = 0) -> list[str]:
        """Return the moment of each trade's order plus `later_s`, by trade number.

        Orders are spread evenly over all days of the market.
        """
        seconds = np.arange(self._size.trades) * _SPAN_S // self._size.trades + later_s
        return (_BEGIN + seconds).astype(str).tolist()


def _customer_names(size: BrokerageSize) -> list[tuple[str, str]]:
    stream = table_stream("customer")
    return list(zip(stream.texts(6, 15, size.customers), stream.texts(8, 20, size.customers), strict=True))


def _csv_chunk(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode("ascii")
