"""How many rows there are, and what the tables are called."""

from collections.abc import Mapping

import msgspec

from scheduler.model.parameters import ParameterValue

FORMAT = "1"
"""Raised when tables made by an older version must not be used again."""

CHANGED = (
    "account",
    "broker",
    "last_trade",
    "trade",
    "trade_history",
    "holding",
    "holding_summary",
    "cash_transaction",
)
"""What transactions change; of each there is a copy as it was loaded."""

TABLES = ("customer", "security", "daily_market", "watch_item", *CHANGED)

ACCOUNTS = 5
"""Of a customer."""

DAYS = 30
"""Of which the market of each security is known."""

_TRADES = 200  # of a customer, 40 of an account
_CUSTOMERS_OF_A_BROKER = 100
_SECURITIES = 685  # of 1,000 customers
_WATCHED = 100
_INDUSTRIES = 102


class BrokerageSize(msgspec.Struct, frozen=True):
    """Size of a database: all but the days follows from its customers."""

    customers: int

    @property
    def schema(self) -> str:
        """Name of the schema (on MariaDB of the database) that has the tables."""
        return f"domtune_brokerage_{self.customers}"

    @property
    def accounts(self) -> int:
        """Number of accounts: those of customer 1, then those of customer 2, and so on."""
        return self.customers * ACCOUNTS

    @property
    def brokers(self) -> int:
        """Number of brokers."""
        return self.customers // _CUSTOMERS_OF_A_BROKER

    @property
    def securities(self) -> int:
        """Number of securities."""
        return self.customers * _SECURITIES // 1000

    @property
    def industries(self) -> int:
        """Number of industries: each has three securities at least."""
        return min(_INDUSTRIES, self.securities // 3)

    @property
    def watched_securities(self) -> int:
        """How many securities a customer watches."""
        return min(_WATCHED, self.securities)

    @property
    def trades(self) -> int:
        """Number of trades when they are loaded, the waiting limit orders among them."""
        return self.customers * _TRADES

    @property
    def waiting(self) -> int:
        """How many of these are limit orders that wait for their price, the last ones.

        As many as there are once as many come as go: a security has 0.8, whatever the number of users.
        """
        return self.securities * 4 // 5

    @property
    def completed(self) -> int:
        """Number of the last trade that was completed while loading; all before it were, too."""
        return self.trades - self.waiting

    def named(self, statement: str) -> str:
        """Return a statement with its `@.` replaced by the schema."""
        return statement.replace("@.", self.schema + ".")


def brokerage_size(values: Mapping[str, ParameterValue]) -> BrokerageSize:
    """Return the size that a load's parameters ask for."""
    return BrokerageSize(int(values["customers"]))
