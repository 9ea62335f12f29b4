"""Kinds of trades, prices and holdings, shared by initial rows and users."""

BUY, SELL = "TMB", "TMS"
LIMIT_BUY, LIMIT_SELL, STOP_LOSS = "TLB", "TLS", "TSL"
MARKET_ORDER_KINDS = (BUY, SELL)
LIMIT_ORDER_KINDS = (LIMIT_BUY, LIMIT_SELL, STOP_LOSS)
BUYING_KINDS = (BUY, LIMIT_BUY)

WAITING, SUBMITTED, COMPLETED = "PNDG", "SBMT", "CMPT"
"""Status of a trade: limit order that waits for its price, order in a user's queue, completed trade."""

PIECES = (100, 200, 400, 800)
"""Possible numbers of pieces of a trade."""

KINDS = (*(BUY,) * 3, *(SELL,) * 3, *(LIMIT_BUY,) * 2, LIMIT_SELL, STOP_LOSS)
"""Kinds of ten orders. Six are at the market's price, and half of all buy."""

LIMIT_KINDS = (LIMIT_BUY, LIMIT_BUY, LIMIT_SELL, STOP_LOSS)
"""Kinds of four limit orders."""

ON_MARGIN_PERCENT = 16
"""Percentage of buying orders that are on margin. A trade on margin moves no cash."""

SWING_PERMILLE = 50
"""Largest distance of a price from the security's usual price. Prices are drawn uniformly."""

FARTHEST_PERMILLE = 40
"""Largest distance of a limit from the usual price, drawn uniformly. Some dozen new prices reach every limit."""

SECURITIES_PER_ACCOUNT = 10
"""Number of securities that an account trades."""


def usual_cents(security: int) -> int:
    """Return a security's usual price in cents: 2000..3000."""
    return 2000 + security * 7919 % 1001


def moved_cents(security: int, permille: int) -> int:
    """Return the price of a security at a distance from its usual price, in cents.

    Args:
        security: Number of the security, from 1.
        permille: Distance from the usual price, in 1/1000 of it. < 0 for a lower price.
    """
    return usual_cents(security) * (1000 + permille) // 1000


def limit_cents(kind: str, security: int, permille: int) -> int:
    """Return the limit of an order, on the side where it waits, in cents.

    Args:
        kind: Kind of limit order (`LIMIT_ORDER_KINDS`).
        security: Number of the security, from 1.
        permille: Distance from the usual price, in 1/1000 of it, >= 0.
    """
    return moved_cents(security, permille if kind == LIMIT_SELL else -permille)


def security_at_place(account: int, place: int, securities: int) -> int:
    """Return the number of one of the securities that an account trades.

    Args:
        account: Number of the account, from 1.
        place: Place in the account, 0..`SECURITIES_PER_ACCOUNT` - 1.
        securities: Number of securities in the database.
    """
    return (account * 61 + place * 97) % securities + 1


def money_text(cents: int) -> str:
    """Return an amount as text for SQL and CSV: `12.34` for 1234 cents."""
    sign, amount = "-" if cents < 0 else "", abs(cents)
    return f"{sign}{amount // 100}.{amount % 100:02}"
