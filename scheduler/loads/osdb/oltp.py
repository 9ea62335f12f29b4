"""Mixed OLTP: add 1 to a column without an index, in one row of `updates` with a random key."""

from scheduler.loads.operation import Operation
from scheduler.loads.orders import Begin
from scheduler.loads.osdb.users import connect, repeating


def connect_user(begin: Begin) -> Operation:
    """Return the operation of one user: BEGIN, UPDATE, COMMIT; counted after the commit has been confirmed."""
    user = connect(begin)
    change = user.change

    def update(_key: int, statement: bytes) -> int:
        return change(statement)

    return repeating(user, begin, update)
