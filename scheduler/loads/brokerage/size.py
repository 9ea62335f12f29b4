"""Sizes and names of the brokerage tables."""

from collections.abc import Mapping

import msgspec

from scheduler.model.parameters import ParameterValue

FORMAT = "1"
"""Format of the tables. Raise it when tables of an older version must not be used again."""

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
"""Tables that transactions change. Each has a copy of its loaded rows."""

TABLES = ("customer", "security", "daily_market", "watch_item", *CHANGED)

ACCOUNTS = 5
"""Accounts per customer."""

DAYS = 30
"""Days with known market data per security."""

_TRADES = 200  # per customer, 40 per account
_CUSTOMERS_OF_A_BROKER = 100
_SECURITIES = 685  # per 1,000 customers
_WATCHED = 100
_INDUSTRIES = 102


class BrokerageSize(msgspec.Struct, frozen=True):
    """Size of a database. All numbers but the days depend on the customers."""

    customers: int

    @property
    def schema(self) -> str:
        """Name of the schema of the tables (on MariaDB: the database)."""
        return f"domtune_brokerage_{self.customers}"

    @property
    def accounts(self) -> int:
        """Number of accounts, in the order of their customers."""
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
        """Number of industries. Each has at least three securities."""
        return min(_INDUSTRIES, self.securities // 3)

    @property
    def watched_securities(self) -> int:
        """Number of securities that each customer watches."""
        return min(_WATCHED, self.securities)

    @property
    def trades(self) -> int:
        """Number of loaded trades, waiting limit orders included."""
        return self.customers * _TRADES

    @property
    def waiting(self) -> int:
        """Number of loaded limit orders that wait for their price: the last trades.

        This is the number in equilibrium, when as many orders arrive as are reached: 0.8 per security, for any number
        of
        users.
        """
        return self.securities * 4 // 5

    @property
    def completed(self) -> int:
        """Number of loaded trades that are completed: the first ones."""
        return self.trades - self.waiting

    def named(self, statement: str) -> str:
        """Return a statement with the schema in place of `@.`."""
        return statement.replace("@.", self.schema + ".")


def brokerage_size(values: Mapping[str, ParameterValue]) -> BrokerageSize:
    """Return the size from a load's parameters."""
    return BrokerageSize(int(values["customers"]))
