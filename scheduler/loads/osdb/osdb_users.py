"""Common parts of OSDB users: connections, random keys, and repeated transactions."""

import itertools
import random
from collections.abc import Callable, Iterator

from scheduler.databases.database_registry import connect_user
from scheduler.databases.protocols import UserSession
from scheduler.loads.operation import Operation
from scheduler.loads.osdb.osdb_schema import osdb_statement
from scheduler.loads.user_messages import BeginOrder
from scheduler.translation import _

_BATCH = 256
# The user pool waits 40 s for connections, and each attempt takes up to 10 s. So one lost packet or a starved guest
# does not end the sweep.
_TRIES = 3


def open_user(begin: BeginOrder) -> UserSession:
    """Connect one user with explicit transactions at READ COMMITTED."""
    user = connect_user(begin.database, begin.connection, f"domtune {begin.kind} user {begin.user}", _TRIES)
    user.read_keys_only()
    return user


def draw_keys(begin: BeginOrder) -> Iterator[int]:
    """Yield the user's random keys, uniform on {0, 2, 3, ..., N-1}.

    This is OSDB's range: there is no key 1.
    """
    draw = random.Random(f"{begin.seed}/{begin.kind}/{begin.user}").random
    choices = begin.tuples - 1
    while True:
        rank = int(draw() * choices)
        yield rank + 1 if rank else 0


def draw_statements(begin: BeginOrder, template: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the user's keys with their statements.

    Statements are made 256 at a time. This costs less CPU than one by one between waits for the server. Making a
    batch
    took 0.09 ms (0.15 ms at most). This time counts as service time of the operation that needs the batch.

    Args:
        begin: Identity of the user, and range of its keys.
        template: SQL statement, with `%d` for the key.
    """
    drawn = draw_keys(begin)
    while True:
        yield from [(key, template % key) for key in itertools.islice(drawn, _BATCH)]


def repeat_statement(
    user: UserSession, begin: BeginOrder, once: Callable[[int, bytes], int], statement: str = ""
) -> Operation:
    """Return the operation that runs the transaction with the next key.

    The transaction is repeated with the same key when the server asks for it.

    Args:
        user: The user's connection.
        begin: Identity of the user, and range of its keys.
        once: Runs the transaction for a key and its statement, commit included. Returns the tuples touched.
        statement: SQL statement, with `%d` for the key. Empty for the OSDB statement of this kind.
    """
    text = statement or osdb_statement(begin.kind, begin.tuples, "%d", begin.own)
    draw = draw_statements(begin, text.encode("ascii")).__next__
    errors = user.errors

    def operation(retried: Callable[[], None]) -> int:
        key, statement = draw()
        while True:
            try:
                return once(key, statement)
            except errors as error:
                if not user.repeats(error):
                    raise user.told(_("a user of {kind}").format(kind=begin.kind), error) from error
                retried()

    return operation
