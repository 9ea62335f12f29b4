"""Inputs of the ten transactions, drawn before a transaction begins."""

import msgspec

BROKER_VOLUME, CUSTOMER_POSITION, MARKET_FEED = "broker-volume", "customer-position", "market-feed"
MARKET_WATCH, SECURITY_DETAIL, TRADE_LOOKUP = "market-watch", "security-detail", "trade-lookup"
TRADE_ORDER, TRADE_RESULT, TRADE_STATUS = "trade-order", "trade-result", "trade-status"
TRADE_UPDATE = "trade-update"

MIX = {
    BROKER_VOLUME: 49,
    CUSTOMER_POSITION: 130,
    MARKET_FEED: 10,
    MARKET_WATCH: 180,
    SECURITY_DETAIL: 140,
    TRADE_LOOKUP: 80,
    TRADE_ORDER: 101,
    TRADE_RESULT: 100,
    TRADE_STATUS: 190,
    TRADE_UPDATE: 20,
}
"""Kind of transaction to its number in a deck of 1,000: the weights of TPC-E."""

WRITING_TRANSACTIONS = (TRADE_ORDER, TRADE_RESULT, TRADE_UPDATE, MARKET_FEED)
"""Transactions that write."""

BY_NUMBER, BY_ACCOUNT, BY_SECURITY, BY_HOLDING = "number", "account", "security", "holding"
"""Ways to choose trades: 20 random numbers, one account or one security from a number on, the lots of an account."""

MOST_TRADES = 20
"""Largest number of trades that are looked up or updated at once."""

FEWEST_BROKERS, MOST_BROKERS = 20, 40
"""Range of the number of brokers in one Broker-Volume, if the database has that many."""

PRICES = 20
"""New prices in one Market-Feed."""


class BrokerVolumeInput(msgspec.Struct, frozen=True):
    """Input of Broker-Volume: the brokers whose waiting limit orders are added up."""

    brokers: tuple[int, ...]


class CustomerPositionInput(msgspec.Struct, frozen=True):
    """Input of Customer-Position: worth of the customer's accounts, and last trades.

    Attributes:
        customer: Number of the customer.
        account: Account whose last ten trades are queried. 0 for none.
    """

    customer: int
    account: int


class MarketWatchInput(msgspec.Struct, frozen=True):
    """Input of Market-Watch: the change in value of some securities since a day.

    Attributes:
        customer: Customer who watches the securities. 0 for an industry.
        industry: Industry of the securities. 0 for a customer.
        day: Day to compare with.
    """

    customer: int
    industry: int
    day: int


class SecurityDetailInput(msgspec.Struct, frozen=True):
    """Input of Security-Detail: a security and some days of its market."""

    security: int
    first_day: int
    days: int


class TradeSelection(msgspec.Struct, frozen=True):
    """Selection of up to 20 trades.

    Attributes:
        way: Way of selection: one of the four `BY_` constants.
        trades: Numbers of the trades, for `BY_NUMBER`.
        whose: Number of the account or security, for the other ways.
        first: Smallest number of a trade, for an account or a security.
    """

    way: str
    trades: tuple[int, ...] = ()
    whose: int = 0
    first: int = 0


class TradeLookupInput(msgspec.Struct, frozen=True):
    """Input of Trade-Lookup: trades whose history and cash are queried."""

    chosen: TradeSelection


class TradeUpdateInput(msgspec.Struct, frozen=True):
    """Input of Trade-Update: trades whose executor gets another name."""

    chosen: TradeSelection


class TradeOrderInput(msgspec.Struct, frozen=True):
    """Input of Trade-Order.

    Attributes:
        account: Account that trades.
        security: Security to trade.
        kind: Kind of trade (`prices.py`).
        pieces: Number of pieces.
        cents: Limit in cents. 0 for an order at the market's price.
        is_cash: False for an order on margin.
        last_in: True to close the latest lot first.
        undone: True to roll the order back.
    """

    account: int
    security: int
    kind: str
    pieces: int
    cents: int
    is_cash: bool
    last_in: bool
    undone: bool


class TradeResultInput(msgspec.Struct, frozen=True):
    """Input of Trade-Result: an order of the user's queue to complete."""

    trade: int


class TradeStatusInput(msgspec.Struct, frozen=True):
    """Input of Trade-Status: the account whose last 50 trades are queried."""

    account: int


class MarketFeedInput(msgspec.Struct, frozen=True):
    """Input of Market-Feed: pairs of security and new price in cents, in lock order."""

    prices: tuple[tuple[int, int], ...]


BrokerageInput = (
    BrokerVolumeInput
    | CustomerPositionInput
    | MarketFeedInput
    | MarketWatchInput
    | SecurityDetailInput
    | TradeLookupInput
    | TradeOrderInput
    | TradeResultInput
    | TradeStatusInput
    | TradeUpdateInput
)

SORTS: dict[type[BrokerageInput], str] = {
    BrokerVolumeInput: BROKER_VOLUME,
    CustomerPositionInput: CUSTOMER_POSITION,
    MarketFeedInput: MARKET_FEED,
    MarketWatchInput: MARKET_WATCH,
    SecurityDetailInput: SECURITY_DETAIL,
    TradeLookupInput: TRADE_LOOKUP,
    TradeOrderInput: TRADE_ORDER,
    TradeResultInput: TRADE_RESULT,
    TradeStatusInput: TRADE_STATUS,
    TradeUpdateInput: TRADE_UPDATE,
}
"""Input class to the kind of transaction."""


class TransactionResult(msgspec.Struct, frozen=True):
    """Outcome of a transaction.

    Attributes:
        undone: True when the transaction must be rolled back on purpose.
        submitted: Numbers of the orders for the user's queue.
        changed: Number of trades with a changed name.
    """

    undone: bool = False
    submitted: tuple[int, ...] = ()
    changed: int = 0
