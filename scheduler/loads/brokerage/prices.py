"""What is alike for the rows that tables begin with and for users: kinds of trades, prices, who holds what."""

BUY, SELL = "TMB", "TMS"
LIMIT_BUY, LIMIT_SELL, STOP_LOSS = "TLB", "TLS", "TSL"
MARKET_ORDER_KINDS = (BUY, SELL)
LIMIT_ORDER_KINDS = (LIMIT_BUY, LIMIT_SELL, STOP_LOSS)
BUYING_KINDS = (BUY, LIMIT_BUY)

WAITING, SUBMITTED, COMPLETED = "PNDG", "SBMT", "CMPT"
"""Status of a limit order whose price has not come, of an order in a user's queue, and of one that was carried out."""

PIECES = (100, 200, 400, 800)
"""Of which a trade has one."""

KINDS = (*(BUY,) * 3, *(SELL,) * 3, *(LIMIT_BUY,) * 2, LIMIT_SELL, STOP_LOSS)
"""Kinds of ten orders: six at the market's price, half of all buy."""

LIMIT_KINDS = (LIMIT_BUY, LIMIT_BUY, LIMIT_SELL, STOP_LOSS)
"""Those of four limit orders."""

ON_MARGIN_PERCENT = 16
"""Of what is bought; such a trade moves no cash."""

SWING_PERMILLE = 50
"""A price is drawn evenly, at most so far from the security's usual one."""

FARTHEST_PERMILLE = 40
"""A limit is drawn evenly, from the usual price to so far from it: its price comes within some dozen draws."""

SECURITIES_PER_ACCOUNT = 10
"""An account trades so many securities."""


def usual_cents(security: int) -> int:
    """Return a security's usual price: from 20.00 to 30.00."""
    return 2000 + security * 7919 % 1001


def moved_cents(security: int, permille: int) -> int:
    """Return a price so far from the usual one."""
    return usual_cents(security) * (1000 + permille) // 1000


def limit_cents(kind: str, security: int, permille: int) -> int:
    """Return the limit of an order so far from the usual price, on the side on which it waits."""
    return moved_cents(security, permille if kind == LIMIT_SELL else -permille)


def security_at_place(account: int, place: int, securities: int) -> int:
    """Return which security an account has at one of its `HELD` places."""
    return (account * 61 + place * 97) % securities + 1


def money_text(cents: int) -> str:
    """Return an amount as SQL and CSV have it."""
    sign, amount = "-" if cents < 0 else "", abs(cents)
    return f"{sign}{amount // 100}.{amount % 100:02}"
