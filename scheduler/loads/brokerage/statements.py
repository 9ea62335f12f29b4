"""One user's statements: what is sent, and what must come back."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from scheduler.databases.base import Row, TransactionSession
from scheduler.loads.brokerage.size import Size
from scheduler.loads.outcome import Missed


class Statements:
    """Statements of one user.

    Args:
        user: The user's connection.
        size: Of the database.
        database: Name of its kind, for the few statements in which databases differ.
    """

    def __init__(self, user: TransactionSession, size: Size, database: str) -> None:
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
            raise Missed(f"no row came back for {query}")
        return found[0]

    def many(self, wanted: int, query: str) -> Sequence[Row]:
        """Return the rows of a query; raises Missed where there are more or fewer."""
        found = self.rows(query)
        if len(found) != wanted:
            raise Missed(f"{len(found)} rows came back, not {wanted}, for {query}")
        return found

    def change(self, statement: str) -> int:
        """Run a statement; return the rows that it changed."""
        return self.user.change(self._size.named(statement).encode("ascii"))

    def must(self, statement: str) -> None:
        """Run a statement; raises Missed where it did not change exactly one row."""
        changed = self.change(statement)
        if changed != 1:
            raise Missed(f"{changed} rows were changed, not one, by {statement}")


def listed(numbers: Iterable[int]) -> str:
    """Return numbers as a list of SQL's."""
    return ",".join(map(str, numbers))


def cents(amount: Any) -> int:  # noqa: ANN401 - what a decimal comes as is the driver's
    """Return an amount of money."""
    return int(Decimal(amount) * 100)


def parts(rate: Any) -> int:  # noqa: ANN401 - likewise
    """Return a rate in 1/10,000."""
    return int(Decimal(rate) * 10_000)


def quoted(text: str) -> str:
    """Return one of our tables' texts for a statement; raises Missed for one that we did not write."""
    if not text.replace(" ", "").isalnum():
        raise Missed(f"{text!r} is no text of ours")
    return f"'{text}'"
