"""Statements of one user, and checks of their results."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from scheduler.databases.protocols import Row, TransactionSession
from scheduler.loads.brokerage.size import BrokerageSize
from scheduler.loads.transaction_outcome import RowNotFound
from scheduler.translation import _


class UserStatements:
    """Statements of one user.

    Args:
        user: The user's connection.
        size: Size of the database.
        database: Kind of database, for the few statements that differ.
    """

    def __init__(self, user: TransactionSession, size: BrokerageSize, database: str) -> None:
        self.user = user
        self._size = size
        self.on_postgresql = database == "postgresql"

    def rows(self, statement: str) -> Sequence[Row]:
        """Return the rows of a query."""
        return self.user.rows(self._size.named(statement).encode("ascii"))

    def one(self, query: str) -> Row:
        """Return the first row of a query.

        Raises:
            RowNotFound: The result is empty.
        """
        found = self.rows(query)
        if not found:
            raise RowNotFound(_("no row came back for {query}").format(query=query))
        return found[0]

    def query_exactly(self, wanted: int, query: str) -> Sequence[Row]:
        """Return the rows of a query with a fixed number of rows.

        Args:
            wanted: Number of rows that the query must return.
            query: SQL query, with `@.` for the schema.

        Raises:
            RowNotFound: The number of rows is another.
        """
        found = self.rows(query)
        if len(found) != wanted:
            raise RowNotFound(
                _("{count} rows came back, not {wanted}, for {query}").format(
                    count=len(found), wanted=wanted, query=query
                )
            )
        return found

    def change(self, statement: str) -> int:
        """Run a statement; return the number of changed rows."""
        return self.user.change(self._size.named(statement).encode("ascii"))

    def change_one_row(self, statement: str) -> None:
        """Run a statement that must change exactly one row.

        Raises:
            RowNotFound: The number of changed rows is another.
        """
        changed = self.change(statement)
        if changed != 1:
            raise RowNotFound(
                _("{changed} rows were changed, not one, by {statement}").format(changed=changed, statement=statement)
            )


def number_list(numbers: Iterable[int]) -> str:
    """Return numbers as a list for SQL: `1,2,3`."""
    return ",".join(map(str, numbers))


def money_cents(amount: Any) -> int:  # noqa: ANN401 - the driver chooses the type of a decimal
    """Return an amount of money in cents."""
    return int(Decimal(amount) * 100)


def rate_ten_thousandths(rate: Any) -> int:  # noqa: ANN401 - the driver chooses the type of a decimal
    """Return a rate in 1/10,000."""
    return int(Decimal(rate) * 10_000)


def quote_text(text: str) -> str:
    """Return a text of our tables as an SQL literal.

    Raises:
        RowNotFound: The text has a character that the generator never writes.
    """
    if not text.replace(" ", "").isalnum():
        raise RowNotFound(_("{text!r} is no text of ours").format(text=text))
    return f"'{text}'"
