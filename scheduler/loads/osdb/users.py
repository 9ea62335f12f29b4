"""What every osdb user does alike: connects, draws keys, repeats what the server asks to repeat."""

import random
from collections.abc import Callable

import psycopg2
from psycopg2 import errorcodes

from scheduler.loads import pg
from scheduler.loads.operation import Operation
from scheduler.loads.orders import Begin

_REPEAT = (errorcodes.SERIALIZATION_FAILURE, errorcodes.DEADLOCK_DETECTED)


def connect(begin: Begin) -> pg.Connection:
    """Return the user's connection: every operation in an explicit transaction, READ COMMITTED."""
    connection = pg.connect(begin.connection, f"domtune {begin.kind} user {begin.user}")
    with pg.translated("starting a user"), connection.cursor() as cursor:
        cursor.execute("SET default_transaction_isolation = 'read committed'")
        connection.commit()
    return connection


def key_drawer(begin: Begin) -> Callable[[], int]:
    """Return the user's own random keys: uniform on {0, 2, 3, ..., N-1}, OSDB's range (there is no key 1)."""
    draw = random.Random(f"{begin.seed}/{begin.kind}/{begin.user}").random
    choices = begin.tuples - 1

    def next_key() -> int:
        rank = int(draw() * choices)
        return rank + 1 if rank else 0

    return next_key


def repeating(connection: pg.Connection, kind: str, draw: Callable[[], int], once: Callable[[int], int]) -> Operation:
    """Return the operation: `once` with a new key, again with the same key when the server asks for it.

    Args:
        connection: The user's connection.
        kind: Load kind, for messages.
        draw: The next key.
        once: Runs the transaction for a key, commit included; returns the tuples touched.
    """

    def operation(retried: Callable[[], None]) -> int:
        key = draw()
        while True:
            try:
                return once(key)
            except psycopg2.Error as error:
                if error.pgcode not in _REPEAT:
                    raise pg.of_statement(f"a user of {kind}", error) from error
                connection.rollback()
                retried()

    return operation
