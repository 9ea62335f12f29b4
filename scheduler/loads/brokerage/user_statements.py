"""One user's statements: what is sent, and what must come back."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from scheduler.databases.protocols import Row, TransactionSession
from scheduler.loads.brokerage.size import BrokerageSize
from scheduler.loads.transaction_outcome import RowNotFound


class UserStatements:
    """Statements of one user.

    Args:
        user: The user's connection.
        size: Of the database.
        database: Name of its kind, for the few statements in which databases differ.
    """

    def __init__(self, user: TransactionSession, size: BrokerageSize, database: str) -> None:
        self.user = user
        self._size = size
        self.on_postgresql = database == "postgresql"

    def rows(self, statement: str) -> Sequence[Row]:
        """Return the rows of a query."""
        return self.user.rows(self._size.named(statement).encode("ascii"))

    def one(self, query: str) -> Row:
        """Return the first row of a query; raises Missed where there is none."""
        found = self.rows(query)
        if not found:
            raise RowNotFound(f"no row came back for {query}")
        return found[0]

    def query_exactly(self, wanted: int, query: str) -> Sequence[Row]:
        """Return the rows of a query; raises Missed where there are more or fewer."""
        found = self.rows(query)
        if len(found) != wanted:
            raise RowNotFound(f"{len(found)} rows came back, not {wanted}, for {query}")
        return found

    def change(self, statement: str) -> int:
        """Run a statement; return the rows that it changed."""
        return self.user.change(self._size.named(statement).encode("ascii"))

    def change_one_row(self, statement: str) -> None:
        """Run a statement; raises Missed where it did not change exactly one row."""
        changed = self.change(statement)
        if changed != 1:
            raise RowNotFound(f"{changed} rows were changed, not one, by {statement}")


def number_list(numbers: Iterable[int]) -> str:
    """Return numbers as a list of SQL's."""
    return ",".join(map(str, numbers))


def money_cents(amount: Any) -> int:  # noqa: ANN401 - what a decimal comes as is the driver's
    """Return an amount of money."""
    return int(Decimal(amount) * 100)


def rate_ten_thousandths(rate: Any) -> int:  # noqa: ANN401 - likewise
    """Return a rate in 1/10,000."""
    return int(Decimal(rate) * 10_000)


def quote_text(text: str) -> str:
    """Return one of our tables' texts for a statement; raises Missed for one that we did not write."""
    if not text.replace(" ", "").isalnum():
        raise RowNotFound(f"{text!r} is no text of ours")
    return f"'{text}'"
