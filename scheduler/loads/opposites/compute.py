"""Compute: have the server generate some ten thousand rows and add them up; the answer is one small row."""

from collections.abc import Mapping, Sequence

from scheduler.databases.base import Row
from scheduler.loads.operation import Operation
from scheduler.loads.opposites.tables import NAME, NUMBERS, table_of
from scheduler.loads.opposites.users import asking
from scheduler.loads.orders import Begin
from scheduler.model.parameters import Value

_SUM = NUMBERS * (NUMBERS - 1) // 2  # of the table's numbers


def statement_of(kind: str, values: Mapping[str, Value]) -> str:
    """Return the statement, with `%d` for a number: pairs of the table's rows, of which each is a row to add up.

    All databases can join a table with itself; not all have a function that generates rows.
    """
    pairs = f"@.{NAME} AS a CROSS JOIN @.{NAME} AS b WHERE b.number < {_times(values)}"
    return table_of(kind, values).at(f"SELECT count(*), sum(a.number * (b.number + %d)) FROM {pairs}")


def connect_user(begin: Begin) -> Operation:
    """Return the operation of one user."""
    times = _times(begin.parameters)
    rows, sums = times * NUMBERS, times * (times - 1) // 2

    def right(number: int, found: Sequence[Row]) -> bool:
        return len(found) == 1 and (int(found[0][0]), int(found[0][1])) == (rows, _SUM * (sums + times * number))

    return asking(begin, statement_of(begin.kind, begin.parameters), NUMBERS, right)


def _times(values: Mapping[str, Value]) -> int:
    """Return with how many of the table's rows each of them is paired."""
    return int(values["rows"]) // NUMBERS
