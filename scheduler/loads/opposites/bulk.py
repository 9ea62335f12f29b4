"""Bulk: fetch some hundred neighbouring rows of 1 kB; the costly part is to move them to the user."""

from collections.abc import Mapping, Sequence

from scheduler.databases.base import Row
from scheduler.loads.operation import Operation
from scheduler.loads.opposites.tables import NAME, table_of, text_of
from scheduler.loads.opposites.users import asking
from scheduler.loads.orders import Begin
from scheduler.model.parameters import Value


def statement_of(kind: str, values: Mapping[str, Value]) -> str:
    """Return the statement, with `%d` for the number of the first row."""
    table = table_of(kind, values)
    return table.at(f"SELECT number, payload FROM @.{NAME} WHERE number >= %d ORDER BY number LIMIT {values['rows']}")


def connect_user(begin: Begin) -> Operation:
    """Return the operation of one user."""
    rows = int(begin.parameters["rows"])
    firsts = table_of(begin.kind, begin.parameters).rows - rows + 1

    def right(first: int, found: Sequence[Row]) -> bool:
        return len(found) == rows and _is(found[0], first) and _is(found[-1], first + rows - 1)

    return asking(begin, statement_of(begin.kind, begin.parameters), firsts, right)


def _is(row: Row, number: int) -> bool:
    """Return whether a row is the one of that number, its text as bytes or not."""
    text = text_of(number)
    return row[0] == number and (row[1] == text or row[1] == text.encode("ascii"))
