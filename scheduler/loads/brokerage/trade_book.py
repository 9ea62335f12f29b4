"""Initial trades, and their effect on holdings, brokers and accounts."""

import msgspec

from scheduler.loads.brokerage import prices
from scheduler.loads.brokerage.lots import CustomerTerms, SecurityLot, close_lots, settle_trade
from scheduler.loads.brokerage.size import ACCOUNTS, TABLES, BrokerageSize
from scheduler.loads.random_stream import RandomStream

SEED = 20070206

# The number of limits at each distance is the number in equilibrium, when as many orders arrive as are reached. Orders
# with the farthest limits wait longest.
_LIMIT_DISTANCES = [
    permille
    for permille in range(prices.FARTHEST_PERMILLE + 1)
    for _ in range(1000 // (prices.SWING_PERMILLE + 1 - permille))
]


def table_stream(table: str) -> RandomStream:
    """Return the stream of random numbers of one table."""
    return RandomStream(SEED, TABLES.index(table))


class BookedTrade(msgspec.Struct):
    """One initial trade.

    All amounts are in cents. Commission, tax and cash are 0 for a waiting trade.
    """

    account: int
    security: int
    kind: str
    pieces: int
    cents: int
    is_cash: bool
    last_in: bool
    commission: int = 0
    tax: int = 0
    cash: int = 0


class TradeBook:
    """Initial trades of one size. Number 1 comes first.

    Args:
        size: Size of the database.

    Attributes:
        tiers: Tier of each customer, 1..3.
        terms: Terms of each customer.
        trades: All trades. The last ones wait.
        lots: Account and security to the remaining lots, the oldest first.
    """

    def __init__(self, size: BrokerageSize) -> None:
        self.size = size
        self.tiers = table_stream("customer").numbers(1, 3, size.customers)
        self.terms = [CustomerTerms(60 - 10 * tier, 1100 - 200 * tier, 500 * tier) for tier in self.tiers]
        self.lots: dict[tuple[int, int], list[SecurityLot]] = {}
        self.trades = self._draw_trades()
        for number, trade in enumerate(self.trades[: size.completed], start=1):
            self._complete_trade(number, trade)

    def broker(self, account: int) -> int:
        """Return the number of an account's broker."""
        return account % self.size.brokers + 1

    def _draw_trades(self) -> list[BookedTrade]:
        size, count, stream = self.size, self.size.trades, table_stream("trade")
        each = count // size.accounts
        accounts = [(place - 1) // each + 1 for place in stream.order(count)]
        places, tens = stream.numbers(0, prices.SECURITIES_PER_ACCOUNT - 1, count), stream.numbers(0, 9, count)
        pieces, swings = stream.numbers(0, 3, count), stream.numbers(0, 2 * prices.SWING_PERMILLE, count)
        margins, last = stream.numbers(0, 99, count), stream.numbers(0, 1, count)
        found = [
            BookedTrade(
                account,
                prices.security_at_place(account, places[at], size.securities),
                prices.KINDS[tens[at]],
                prices.PIECES[pieces[at]],
                0,
                prices.KINDS[tens[at]] not in prices.BUYING_KINDS or margins[at] >= prices.ON_MARGIN_PERCENT,
                bool(last[at]),
            )
            for at, account in enumerate(accounts)
        ]
        for trade, swing in zip(found, swings, strict=True):
            trade.cents = prices.moved_cents(trade.security, swing - prices.SWING_PERMILLE)
        self._make_limit_orders(found[size.completed :], stream)
        return found

    def _make_limit_orders(self, last: list[BookedTrade], stream: RandomStream) -> None:
        """Change these trades to limit orders."""
        kinds, waits = stream.numbers(0, 3, len(last)), stream.numbers(0, len(_LIMIT_DISTANCES) - 1, len(last))
        for trade, kind, wait in zip(last, kinds, waits, strict=True):
            trade.kind = prices.LIMIT_KINDS[kind]
            trade.cents = prices.limit_cents(trade.kind, trade.security, _LIMIT_DISTANCES[wait])

    def _complete_trade(self, number: int, trade: BookedTrade) -> None:
        lots = self.lots.setdefault((trade.account, trade.security), [])
        pieces = trade.pieces if trade.kind in prices.BUYING_KINDS else -trade.pieces
        closed = close_lots(reversed(lots) if trade.last_in else lots, pieces, trade.cents)
        if closed.gone or closed.rest:
            rest = {closed.rest.trade: closed.rest} if closed.rest else {}
            lots[:] = [rest.get(lot.trade, lot) for lot in lots if lot.trade not in closed.gone]
        if closed.new:
            lots.append(SecurityLot(number, closed.new, trade.cents))
        settled = settle_trade(pieces, trade.cents, closed.gain_cents, self.terms[(trade.account - 1) // ACCOUNTS])
        trade.commission, trade.tax = settled.commission_cents, settled.tax_cents
        trade.cash = settled.cash_cents if trade.is_cash else 0
