"""Load compute: let the server generate and add up some ten thousand rows.

The answer is one small row.
"""

from collections.abc import Mapping, Sequence

from scheduler.databases.protocols import Row
from scheduler.loads.operation import Operation
from scheduler.loads.synthetic.numbered_table import NUMBER_COUNT, TABLE_NAME, table_for_load
from scheduler.loads.synthetic.synthetic_users import repeat_question
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.parameters import ParameterValue

_SUM_OF_NUMBERS = NUMBER_COUNT * (NUMBER_COUNT - 1) // 2  # of all numbers in the table


def compute_statement(kind: str, values: Mapping[str, ParameterValue]) -> str:
    """Return the SQL statement, with `%d` for a number.

    It adds up pairs of the table's rows, because all databases can join a table with itself. Not all databases have a
    function that generates rows.

    Args:
        kind: Load kind.
        values: Parameters of the load.
    """
    pairs = f"@.{TABLE_NAME} AS a CROSS JOIN @.{TABLE_NAME} AS b WHERE b.number < {_pairs_per_row(values)}"
    return table_for_load(kind, values).at(f"SELECT count(*), sum(a.number * (b.number + %d)) FROM {pairs}")


def connect_user(begin: BeginOrder) -> Operation:
    """Connect one user; return its operation."""
    times = _pairs_per_row(begin.parameters)
    rows, sums = times * NUMBER_COUNT, times * (times - 1) // 2

    def right(number: int, found: Sequence[Row]) -> bool:
        return len(found) == 1 and (int(found[0][0]), int(found[0][1])) == (
            rows,
            _SUM_OF_NUMBERS * (sums + times * number),
        )

    return repeat_question(begin, compute_statement(begin.kind, begin.parameters), NUMBER_COUNT, right)


def _pairs_per_row(values: Mapping[str, ParameterValue]) -> int:
    """Return the number of pairs per row of the table."""
    return int(values["rows"]) // NUMBER_COUNT
