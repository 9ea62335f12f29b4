"""User of the brokerage load: draw a transaction, run it, repeat it on request."""

import random
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from scheduler.databases.database_registry import connect_transactions
from scheduler.databases.protocols import TransactionSession
from scheduler.loads.brokerage import inputs, prices
from scheduler.loads.brokerage.inputs import (
    SORTS,
    BrokerageInput,
    BrokerVolumeInput,
    CustomerPositionInput,
    MarketFeedInput,
    MarketWatchInput,
    SecurityDetailInput,
    TradeLookupInput,
    TradeOrderInput,
    TradeResultInput,
    TradeSelection,
    TradeStatusInput,
    TradeUpdateInput,
    TransactionResult,
)
from scheduler.loads.brokerage.read_transactions import ReadTransactions
from scheduler.loads.brokerage.size import ACCOUNTS, DAYS, BrokerageSize, brokerage_size
from scheduler.loads.brokerage.user_statements import UserStatements
from scheduler.loads.brokerage.write_transactions import WriteTransactions
from scheduler.loads.operation import Operation, OperationResult
from scheduler.loads.order_entry.uneven_random import draw_uneven
from scheduler.loads.transaction_outcome import GIVEN_UP, UNDONE
from scheduler.loads.transaction_retry import retry_transaction
from scheduler.loads.user_messages import BeginOrder
from scheduler.translation import _

_C_CUSTOMER = 131
_OF_INDUSTRY_PERCENT = 5
_LOOKUPS = (inputs.BY_NUMBER,) * 3 + (inputs.BY_ACCOUNT,) * 3 + (inputs.BY_SECURITY,) * 3 + (inputs.BY_HOLDING,)
_UPDATES = (inputs.BY_NUMBER, inputs.BY_ACCOUNT, inputs.BY_SECURITY)
_FEWEST_DAYS, _MOST_DAYS = 5, 20

T = TypeVar("T")


class BrokerageTerminal:
    """Source of one user's transactions.

    Args:
        size: Size of the database.
        seed: Seed of the random numbers. Equal seeds give equal inputs if the queue receives equal orders.

    Attributes:
        queue: Numbers of the orders to complete, the oldest first.
    """

    def __init__(self, size: BrokerageSize, seed: str) -> None:
        self._size = size
        self._random = random.Random(seed)
        self._draw = self._random.randint
        # A third of the number of customers, like the 1023 of TPC-C for its 3,000 customers.
        self._width = (1 << (size.customers // 3).bit_length()) - 1
        self.queue: deque[int] = deque()

    def inputs(self) -> Iterator[BrokerageInput]:
        """Yield inputs without end: decks of 1,000, each in its own random order."""
        draws = {
            inputs.BROKER_VOLUME: self._draw_broker_volume,
            inputs.CUSTOMER_POSITION: self._draw_position,
            inputs.MARKET_FEED: self._draw_market_feed,
            inputs.MARKET_WATCH: self._draw_market_watch,
            inputs.SECURITY_DETAIL: self._draw_security_detail,
            inputs.TRADE_LOOKUP: lambda: TradeLookupInput(self._choose_trades(_LOOKUPS)),
            inputs.TRADE_ORDER: self._draw_trade_order,
            inputs.TRADE_RESULT: self._draw_trade_result,
            inputs.TRADE_STATUS: lambda: TradeStatusInput(self._draw_account()),
            inputs.TRADE_UPDATE: lambda: TradeUpdateInput(self._choose_trades(_UPDATES)),
        }
        deck = [draws[name] for name, times in inputs.MIX.items() for _ in range(times)]
        while True:
            self._random.shuffle(deck)
            for draw in deck:
                yield draw()

    def _draw_trade_result(self) -> TradeResultInput | TradeOrderInput:
        """Return the oldest order of the queue. Draw a new order if the queue is empty."""
        return TradeResultInput(self.queue.popleft()) if self.queue else self._draw_trade_order()

    def _draw_trade_order(self) -> TradeOrderInput:
        account, kind = self._draw_account(), self._draw_one_of(prices.KINDS)
        security = prices.security_at_place(
            account, self._draw(0, prices.SECURITIES_PER_ACCOUNT - 1), self._size.securities
        )
        limit = 0
        if kind in prices.LIMIT_ORDER_KINDS:
            limit = prices.limit_cents(kind, security, self._draw(0, prices.FARTHEST_PERMILLE))
        is_cash = kind not in prices.BUYING_KINDS or self._draw(1, 100) > prices.ON_MARGIN_PERCENT
        last_in, undone = self._draw(0, 1) == 1, self._draw(1, 100) == 1
        return TradeOrderInput(
            account, security, kind, self._draw_one_of(prices.PIECES), limit, is_cash, last_in, undone
        )

    def _draw_broker_volume(self) -> BrokerVolumeInput:
        """Draw 20 to 40 brokers. Draw all brokers if there are fewer."""
        many = self._size.brokers
        wanted = self._draw(min(inputs.FEWEST_BROKERS, many), min(inputs.MOST_BROKERS, many))
        return BrokerVolumeInput(tuple(sorted(self._random.sample(range(1, many + 1), wanted))))

    def _draw_position(self) -> CustomerPositionInput:
        account, with_history = self._draw_account(), self._draw(0, 1)
        return CustomerPositionInput((account - 1) // ACCOUNTS + 1, account if with_history else 0)

    def _draw_market_watch(self) -> MarketWatchInput:
        day = self._draw(1, DAYS)
        if self._draw(1, 100) <= _OF_INDUSTRY_PERCENT:
            return MarketWatchInput(0, self._draw(1, self._size.industries), day)
        return MarketWatchInput(self._draw_customer(), 0, day)

    def _draw_security_detail(self) -> SecurityDetailInput:
        days = self._draw(_FEWEST_DAYS, _MOST_DAYS)
        return SecurityDetailInput(self._draw_security(), self._draw(1, DAYS - days + 1), days)

    def _draw_market_feed(self) -> MarketFeedInput:
        securities = sorted(self._random.sample(range(1, self._size.securities + 1), inputs.PRICES))
        moves = (self._draw(-prices.SWING_PERMILLE, prices.SWING_PERMILLE) for _ in securities)
        fed = ((each, prices.moved_cents(each, move)) for each, move in zip(securities, moves, strict=True))
        return MarketFeedInput(tuple(fed))

    def _choose_trades(self, ways: tuple[str, ...]) -> TradeSelection:
        way = self._draw_one_of(ways)
        if way == inputs.BY_NUMBER:
            numbers = range(1, self._size.completed + 1)
            return TradeSelection(way, trades=tuple(sorted(self._random.sample(numbers, inputs.MOST_TRADES))))
        whose = self._draw_security() if way == inputs.BY_SECURITY else self._draw_account()
        return TradeSelection(way, whose=whose, first=self._draw(1, self._size.completed))

    def _draw_security(self) -> int:
        return self._draw(1, self._size.securities)

    def _draw_account(self) -> int:
        return (self._draw_customer() - 1) * ACCOUNTS + self._draw(1, ACCOUNTS)

    def _draw_customer(self) -> int:
        return draw_uneven(self._draw, self._width, _C_CUSTOMER, 1, self._size.customers)

    def _draw_one_of(self, choices: tuple[T, ...]) -> T:
        return choices[self._draw(0, len(choices) - 1)]


class BrokerageSteps:
    """Transactions of one user.

    Args:
        user: The user's connection.
        size: Size of the database.
        database: Kind of database: `postgresql` or `mariadb`.
    """

    def __init__(self, user: TransactionSession, size: BrokerageSize, database: str) -> None:
        self._user = user
        statements = UserStatements(user, size, database)
        questions = ReadTransactions(statements)
        trading = WriteTransactions(statements, questions)
        self._ways: dict[type[BrokerageInput], Callable[[Any], TransactionResult | None]] = {
            inputs.BrokerVolumeInput: questions.broker_volume,
            inputs.CustomerPositionInput: questions.customer_position,
            inputs.MarketFeedInput: trading.market_feed,
            inputs.MarketWatchInput: questions.market_watch,
            inputs.SecurityDetailInput: questions.security_detail,
            inputs.TradeLookupInput: questions.trade_lookup,
            inputs.TradeOrderInput: trading.trade_order,
            inputs.TradeResultInput: trading.trade_result,
            inputs.TradeStatusInput: questions.trade_status,
            inputs.TradeUpdateInput: trading.trade_update,
        }

    def run(self, asked: BrokerageInput) -> TransactionResult:
        """Run one transaction with its commit or rollback; return its outcome.

        Raises:
            RowNotFound: A row that must exist is missing.
            SerializationConflict: Another user changed the rows first.
        """
        ended = self._ways[type(asked)](asked) or TransactionResult()
        if ended.undone:
            self._user.undo()
        else:
            self._user.commit()
        return ended


# The user pool waits 40 s for connections, and each attempt takes up to 10 s. So one lost packet or a starved guest
# does not end the sweep.
_TRIES = 3

TRADES_CHANGED = "trades changed: "
"""Prefix of the answer of a Trade-Update in the totals. The number of changed trades follows."""

_DONE = {asked: OperationResult(sort) for asked, sort in SORTS.items()}
_UPDATED = [
    OperationResult(inputs.TRADE_UPDATE, answer=f"{TRADES_CHANGED}{many}") for many in range(inputs.MOST_TRADES + 1)
]
_UNDONE = OperationResult(f"{inputs.TRADE_ORDER}, {UNDONE}", counts=False)
_GIVEN_UP = {asked: OperationResult(f"{sort}, {GIVEN_UP}", counts=False, failed=True) for asked, sort in SORTS.items()}


def connect_user(begin: BeginOrder) -> Operation:
    """Connect one user; return its operation."""
    size = brokerage_size(begin.parameters)
    isolation = str(begin.parameters["isolation"]).replace("-", " ")
    application = f"domtune {begin.kind} user {begin.user}"
    user = connect_transactions(begin.database, begin.connection, application, _TRIES, isolation)
    desk = BrokerageTerminal(size, f"{begin.seed}/{begin.kind}/{begin.user}")
    return repeat_transactions(user, BrokerageSteps(user, size, begin.database).run, desk)


def repeat_transactions(
    user: TransactionSession, run: Callable[[BrokerageInput], TransactionResult], desk: BrokerageTerminal
) -> Operation:
    """Return the operation that draws and runs the next transaction.

    Args:
        user: The user's connection.
        run: Runs a transaction to its end and returns its outcome.
        desk: Terminal that draws the inputs. Its queue receives submitted orders once they are committed.
    """
    draw = desk.inputs().__next__

    def operation(retried: Callable[[], None]) -> OperationResult:
        asked = draw()
        ended = retry_transaction(user, run, asked, retried, _("a user of the brokerage"))
        if ended is None:
            return _GIVEN_UP[type(asked)]
        desk.queue.extend(ended.submitted)
        if ended.undone:
            return _UNDONE
        return _UPDATED[ended.changed] if isinstance(asked, inputs.TradeUpdateInput) else _DONE[type(asked)]

    return operation
