"""Where one user sits: a deck of transactions, and the queue of orders that are to be carried out."""

import random
from collections import deque
from collections.abc import Iterator
from typing import TypeVar

from scheduler.loads.brokerage import inputs, prices
from scheduler.loads.brokerage.inputs import (
    BrokerVolume,
    Chosen,
    CustomerPosition,
    Input,
    MarketFeed,
    MarketWatch,
    SecurityDetail,
    TradeLookup,
    TradeOrder,
    TradeResult,
    TradeStatus,
    TradeUpdate,
)
from scheduler.loads.brokerage.size import ACCOUNTS, DAYS, Size
from scheduler.loads.order_entry.nurand import nurand

_C_CUSTOMER = 131
_OF_INDUSTRY_PERCENT = 5
_LOOKUPS = (inputs.BY_NUMBER,) * 3 + (inputs.BY_ACCOUNT,) * 3 + (inputs.BY_SECURITY,) * 3 + (inputs.BY_HOLDING,)
_UPDATES = (inputs.BY_NUMBER, inputs.BY_ACCOUNT, inputs.BY_SECURITY)
_FEWEST_DAYS, _MOST_DAYS = 5, 20

T = TypeVar("T")


class Desk:
    """One user's.

    Args:
        size: Of the database.
        seed: The same seed gives the same inputs, as long as the same orders come into the queue.

    Attributes:
        queue: Numbers of the orders that are to be carried out, the oldest one first.
    """

    def __init__(self, size: Size, seed: str) -> None:
        self._size = size
        self._random = random.Random(seed)
        self._draw = self._random.randint
        # A third as wide as there are customers, as TPC-C's 1023 is for its 3,000.
        self._width = (1 << (size.customers // 3).bit_length()) - 1
        self.queue: deque[int] = deque()

    def inputs(self) -> Iterator[Input]:
        """Yield inputs without end: deck after deck of 1,000, each in its own random order."""
        draws = {
            inputs.BROKER_VOLUME: self._broker_volume,
            inputs.CUSTOMER_POSITION: self._customer_position,
            inputs.MARKET_FEED: self._market_feed,
            inputs.MARKET_WATCH: self._market_watch,
            inputs.SECURITY_DETAIL: self._security_detail,
            inputs.TRADE_LOOKUP: lambda: TradeLookup(self._chosen(_LOOKUPS)),
            inputs.TRADE_ORDER: self._trade_order,
            inputs.TRADE_RESULT: self._trade_result,
            inputs.TRADE_STATUS: lambda: TradeStatus(self._account()),
            inputs.TRADE_UPDATE: lambda: TradeUpdate(self._chosen(_UPDATES)),
        }
        deck = [draws[name] for name, times in inputs.MIX.items() for _ in range(times)]
        while True:
            self._random.shuffle(deck)
            for draw in deck:
                yield draw()

    def _trade_result(self) -> TradeResult | TradeOrder:
        """Without an order to carry out, one is given instead."""
        return TradeResult(self.queue.popleft()) if self.queue else self._trade_order()

    def _trade_order(self) -> TradeOrder:
        account, kind = self._account(), self._one_of(prices.KINDS)
        security = prices.traded(account, self._draw(0, prices.HELD - 1), self._size.securities)
        limit = 0
        if kind in prices.LIMIT:
            limit = prices.limit_cents(kind, security, self._draw(0, prices.FARTHEST_PERMILLE))
        is_cash = kind not in prices.BUYING or self._draw(1, 100) > prices.ON_MARGIN_PERCENT
        last_in, undone = self._draw(0, 1) == 1, self._draw(1, 100) == 1
        return TradeOrder(account, security, kind, self._one_of(prices.PIECES), limit, is_cash, last_in, undone)

    def _broker_volume(self) -> BrokerVolume:
        """20 to 40 brokers, or all where there are not more."""
        many = self._size.brokers
        wanted = self._draw(min(inputs.FEWEST_BROKERS, many), min(inputs.MOST_BROKERS, many))
        return BrokerVolume(tuple(sorted(self._random.sample(range(1, many + 1), wanted))))

    def _customer_position(self) -> CustomerPosition:
        account, with_history = self._account(), self._draw(0, 1)
        return CustomerPosition((account - 1) // ACCOUNTS + 1, account if with_history else 0)

    def _market_watch(self) -> MarketWatch:
        day = self._draw(1, DAYS)
        if self._draw(1, 100) <= _OF_INDUSTRY_PERCENT:
            return MarketWatch(0, self._draw(1, self._size.industries), day)
        return MarketWatch(self._customer(), 0, day)

    def _security_detail(self) -> SecurityDetail:
        days = self._draw(_FEWEST_DAYS, _MOST_DAYS)
        return SecurityDetail(self._security(), self._draw(1, DAYS - days + 1), days)

    def _market_feed(self) -> MarketFeed:
        securities = sorted(self._random.sample(range(1, self._size.securities + 1), inputs.PRICES))
        moves = (self._draw(-prices.SWING_PERMILLE, prices.SWING_PERMILLE) for _ in securities)
        fed = ((each, prices.moved_cents(each, move)) for each, move in zip(securities, moves, strict=True))
        return MarketFeed(tuple(fed))

    def _chosen(self, ways: tuple[str, ...]) -> Chosen:
        way = self._one_of(ways)
        if way == inputs.BY_NUMBER:
            numbers = range(1, self._size.completed + 1)
            return Chosen(way, trades=tuple(sorted(self._random.sample(numbers, inputs.MOST_TRADES))))
        whose = self._security() if way == inputs.BY_SECURITY else self._account()
        return Chosen(way, whose=whose, first=self._draw(1, self._size.completed))

    def _security(self) -> int:
        return self._draw(1, self._size.securities)

    def _account(self) -> int:
        return (self._customer() - 1) * ACCOUNTS + self._draw(1, ACCOUNTS)

    def _customer(self) -> int:
        return nurand(self._draw, self._width, _C_CUSTOMER, 1, self._size.customers)

    def _one_of(self, choices: tuple[T, ...]) -> T:
        return choices[self._draw(0, len(choices) - 1)]
