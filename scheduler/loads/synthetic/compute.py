"""Compute: have the server generate some ten thousand rows and add them up; the answer is one small row."""

from collections.abc import Mapping, Sequence

from scheduler.databases.protocols import Row
from scheduler.loads.operation import Operation
from scheduler.loads.synthetic.numbered_table import NUMBER_COUNT, TABLE_NAME, table_for_load
from scheduler.loads.synthetic.synthetic_users import repeat_question
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.parameters import ParameterValue

_SUM_OF_NUMBERS = NUMBER_COUNT * (NUMBER_COUNT - 1) // 2  # of the table's numbers


def compute_statement(kind: str, values: Mapping[str, ParameterValue]) -> str:
    """Return the statement, with `%d` for a number: pairs of the table's rows, of which each is a row to add up.

    All databases can join a table with itself; not all have a function that generates rows.
    """
    pairs = f"@.{TABLE_NAME} AS a CROSS JOIN @.{TABLE_NAME} AS b WHERE b.number < {_pairs_per_row(values)}"
    return table_for_load(kind, values).at(f"SELECT count(*), sum(a.number * (b.number + %d)) FROM {pairs}")


def connect_user(begin: BeginOrder) -> Operation:
    """Return the operation of one user."""
    times = _pairs_per_row(begin.parameters)
    rows, sums = times * NUMBER_COUNT, times * (times - 1) // 2

    def right(number: int, found: Sequence[Row]) -> bool:
        return len(found) == 1 and (int(found[0][0]), int(found[0][1])) == (
            rows,
            _SUM_OF_NUMBERS * (sums + times * number),
        )

    return repeat_question(begin, compute_statement(begin.kind, begin.parameters), NUMBER_COUNT, right)


def _pairs_per_row(values: Mapping[str, ParameterValue]) -> int:
    """Return with how many of the table's rows each of them is paired."""
    return int(values["rows"]) // NUMBER_COUNT
