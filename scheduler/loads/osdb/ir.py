"""Mixed IR: fetch one row of `updates` by a random key."""

from scheduler.loads.operation import Operation
from scheduler.loads.orders import Begin
from scheduler.loads.osdb.users import connect, repeating


def connect_user(begin: Begin) -> Operation:
    """Return the operation of one user: BEGIN, SELECT, COMMIT in three round trips, as OSDB."""
    connection = connect(begin)
    cursor = connection.cursor()
    execute, fetchall, commit = cursor.execute, cursor.fetchall, connection.commit

    def select(key: int, statement: bytes) -> int:
        execute(statement)  # psycopg2 sends BEGIN first
        rows = fetchall()
        commit()
        return 1 if len(rows) == 1 and rows[0][0] == key else 0

    return repeating(connection, begin, select)
