"""Mixed IR: fetch one row of `updates` by a random key."""

from scheduler.loads.operation import Operation
from scheduler.loads.orders import Begin
from scheduler.loads.osdb.users import connect, repeating


def connect_user(begin: Begin) -> Operation:
    """Return the operation of one user: BEGIN, SELECT, COMMIT in three round trips, as OSDB."""
    user = connect(begin)
    rows = user.rows

    def select(key: int, statement: bytes) -> int:
        found = rows(statement)
        return 1 if len(found) == 1 and found[0][0] == key else 0

    return repeating(user, begin, select)
