"""What users ask for: ten transactions, each with its input drawn beforehand."""

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
"""Kind of transaction to how many of a deck of 1,000 there are: TPC-E's weights."""

WRITING_TRANSACTIONS = (TRADE_ORDER, TRADE_RESULT, TRADE_UPDATE, MARKET_FEED)
"""Those that write."""

BY_NUMBER, BY_ACCOUNT, BY_SECURITY, BY_HOLDING = "number", "account", "security", "holding"
"""How trades are chosen: 20 random ones, those of an account or a security from one on, those behind its lots."""

MOST_TRADES = 20
"""That are looked up, or updated, at once."""

FEWEST_BROKERS, MOST_BROKERS = 20, 40
"""Whose limit orders are asked for at once, where there are as many."""

PRICES = 20
"""That come at once."""


class BrokerVolumeInput(msgspec.Struct, frozen=True):
    """A question for the volume of the limit orders that wait at some brokers."""

    brokers: tuple[int, ...]


class CustomerPositionInput(msgspec.Struct, frozen=True):
    """A question for what a customer's accounts are worth, and for the last ten trades of one, or of none (0)."""

    customer: int
    account: int


class MarketWatchInput(msgspec.Struct, frozen=True):
    """A question for how the value of what a customer watches, or of an industry, has changed since a day.

    Either has a number, and the other 0.
    """

    customer: int
    industry: int
    day: int


class SecurityDetailInput(msgspec.Struct, frozen=True):
    """A question for a security and so many days of its market, the first of them given."""

    security: int
    first_day: int
    days: int


class TradeSelection(msgspec.Struct, frozen=True):
    """Up to 20 trades.

    Attributes:
        way: How they are chosen.
        trades: Their numbers, by number.
        whose: Account, or security, by the other ways.
        first: No trade before it, of an account or a security.
    """

    way: str
    trades: tuple[int, ...] = ()
    whose: int = 0
    first: int = 0


class TradeLookupInput(msgspec.Struct, frozen=True):
    """A question for trades, their history and their cash."""

    chosen: TradeSelection


class TradeUpdateInput(msgspec.Struct, frozen=True):
    """Trades get another name of who carried them out."""

    chosen: TradeSelection


class TradeOrderInput(msgspec.Struct, frozen=True):
    """An order.

    Attributes:
        account: Whose it is.
        security: What is traded.
        kind: Kind of trade (`prices.py`).
        pieces: How many.
        cents: Limit; 0 for one at the market's price.
        is_cash: False for one on margin.
        last_in: True where the lot that came last is closed first.
        undone: It is rolled back.
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
    """An order of the user's queue is carried out."""

    trade: int


class TradeStatusInput(msgspec.Struct, frozen=True):
    """A question for the last 50 trades of an account."""

    account: int


class MarketFeedInput(msgspec.Struct, frozen=True):
    """New prices in cents; the securities lie in the order in which they are locked."""

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
"""Input to the kind of transaction."""


class TransactionResult(msgspec.Struct, frozen=True):
    """How a transaction ended.

    Attributes:
        undone: It was rolled back, on purpose.
        submitted: Orders for the user's queue.
        changed: Trades that have another name now.
    """

    undone: bool = False
    submitted: tuple[int, ...] = ()
    changed: int = 0
