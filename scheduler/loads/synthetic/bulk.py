"""Load bulk: fetch some hundred neighbouring rows of 1 kB.

Moving the rows to the user is the expensive part.
"""

from collections.abc import Mapping, Sequence

from scheduler.databases.protocols import Row
from scheduler.loads.operation import Operation
from scheduler.loads.synthetic.numbered_table import TABLE_NAME, row_text, table_for_load
from scheduler.loads.synthetic.synthetic_users import repeat_question
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.parameters import ParameterValue


def bulk_statement(kind: str, values: Mapping[str, ParameterValue]) -> str:
    """Return the SQL statement, with `%d` for the number of the first row.

    Args:
        kind: Load kind.
        values: Parameters of the load.
    """
    table = table_for_load(kind, values)
    return table.at(
        f"SELECT number, payload FROM @.{TABLE_NAME} WHERE number >= %d ORDER BY number LIMIT {values['rows']}"
    )


def connect_user(begin: BeginOrder) -> Operation:
    """Connect one user; return its operation."""
    rows = int(begin.parameters["rows"])
    firsts = table_for_load(begin.kind, begin.parameters).rows - rows + 1

    def right(first: int, found: Sequence[Row]) -> bool:
        return len(found) == rows and _is_row(found[0], first) and _is_row(found[-1], first + rows - 1)

    return repeat_question(begin, bulk_statement(begin.kind, begin.parameters), firsts, right)


def _is_row(row: Row, number: int) -> bool:
    """Return True when a row has this number and its text, as text or bytes."""
    text = row_text(number)
    return row[0] == number and (row[1] == text or row[1] == text.encode("ascii"))
