"""What every osdb user does alike: connects, draws keys, repeats what the server asks to repeat."""

import itertools
import random
from collections.abc import Callable, Iterator

from scheduler.databases.database_registry import connect_user
from scheduler.databases.protocols import UserSession
from scheduler.loads.operation import Operation
from scheduler.loads.osdb.osdb_schema import osdb_statement
from scheduler.loads.user_messages import BeginOrder

_BATCH = 256
# Of 10 s each, within the 40 s that the crew waits: one lost packet or a starved guest ends no sweep.
_TRIES = 3


def open_user(begin: BeginOrder) -> UserSession:
    """Return the user's connection: every operation in an explicit transaction, READ COMMITTED."""
    user = connect_user(begin.database, begin.connection, f"domtune {begin.kind} user {begin.user}", _TRIES)
    user.read_keys_only()
    return user


def draw_keys(begin: BeginOrder) -> Iterator[int]:
    """Yield the user's own random keys: uniform on {0, 2, 3, ..., N-1}, OSDB's range (there is no key 1)."""
    draw = random.Random(f"{begin.seed}/{begin.kind}/{begin.user}").random
    choices = begin.tuples - 1
    while True:
        rank = int(draw() * choices)
        yield rank + 1 if rank else 0


def draw_statements(begin: BeginOrder, template: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the user's keys, each with its statement: the template with the key for `%d`.

    They are made some hundreds at a time, which costs less CPU than one by one between waits for the server. Making a
    batch took 0.09 ms (0.15 ms at most) and counts into the service time of the operation that needs it.
    """
    drawn = draw_keys(begin)
    while True:
        yield from [(key, template % key) for key in itertools.islice(drawn, _BATCH)]


def repeat_statement(
    user: UserSession, begin: BeginOrder, once: Callable[[int, bytes], int], statement: str = ""
) -> Operation:
    """Return the operation: `once` with a new key, again with the same key when the server asks for it.

    Args:
        user: The user's connection.
        begin: Who the user is, and what its keys are drawn from.
        once: Runs the transaction for a key and its statement, commit included; returns the tuples touched.
        statement: With `%d` for the key; where empty, the one that the osdb loads have for this kind.
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
                    raise user.told(f"a user of {begin.kind}", error) from error
                retried()

    return operation
