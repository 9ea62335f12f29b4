"""Mixed OLTP: add 1 to a column in one row of `updates` with a random key.

The column has no index.
"""

from scheduler.loads.operation import Operation
from scheduler.loads.osdb.osdb_users import open_user, repeat_statement
from scheduler.loads.user_messages import BeginOrder


def connect_user(begin: BeginOrder) -> Operation:
    """Connect one user; return its operation: BEGIN, UPDATE, COMMIT.

    An operation counts when the commit has been confirmed.
    """
    user = open_user(begin)
    change = user.change

    def update(_key: int, statement: bytes) -> int:
        return change(statement)

    return repeat_statement(user, begin, update)
