"""Mixed OLTP: add 1 to a column without an index, in one row of `updates` with a random key."""

from scheduler.loads.operation import Operation
from scheduler.loads.orders import Begin
from scheduler.loads.osdb.users import connect, repeating


def connect_user(begin: Begin) -> Operation:
    """Return the operation of one user: BEGIN, UPDATE, COMMIT; counted after the commit has been confirmed."""
    connection = connect(begin)
    cursor = connection.cursor()
    execute, commit = cursor.execute, connection.commit

    def update(_key: int, statement: bytes) -> int:
        execute(statement)  # psycopg2 sends BEGIN first
        commit()
        return cursor.rowcount

    return repeating(connection, begin, update)
