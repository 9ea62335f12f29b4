"""Mixed IR: fetch one row of `updates` by a random key."""

from scheduler.loads.operation import Operation
from scheduler.loads.osdb.osdb_users import open_user, repeat_statement
from scheduler.loads.user_messages import BeginOrder


def connect_user(begin: BeginOrder) -> Operation:
    """Connect one user; return its operation: BEGIN, SELECT, COMMIT.

    As in OSDB, these are three round trips.
    """
    user = open_user(begin)
    rows = user.rows

    def select(key: int, statement: bytes) -> int:
        found = rows(statement)
        return 1 if len(found) == 1 and found[0][0] == key else 0

    return repeat_statement(user, begin, select)
