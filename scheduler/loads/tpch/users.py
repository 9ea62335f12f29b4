"""One user: the 22 queries, one after the other, in the order of its stream; and then again."""

import itertools
from collections.abc import Callable

from scheduler.databases.base import UserSession
from scheduler.databases.registry import connect_user as connect_to
from scheduler.loads.operation import Done, Operation
from scheduler.loads.orders import Begin
from scheduler.loads.tpch import queries
from scheduler.loads.tpch.answers import answer_of
from scheduler.loads.tpch.counters import Counters, counters_of
from scheduler.loads.tpch.dialects import dialect_of

# Of 10 s each, within the 40 s that the crew waits: one lost packet or a starved guest ends no sweep.
_TRIES = 3


def connect_user(begin: Begin) -> Operation:
    """Return the operation of one user: the next query of its stream."""
    user = connect_to(begin.database, begin.connection, f"domtune {begin.kind} user {begin.user}", _TRIES)
    limit_s = float(begin.parameters["limit_s"])
    try:
        for statement in dialect_of(begin.database).user:
            user.change(statement.encode("ascii"))
        user.limit(limit_s)
        counters = counters_of(user, begin.database)
    except user.errors as error:
        raise user.told(f"a user of {begin.kind}", error) from error
    return _Stream(user, begin, counters, limit_s)


class _Stream:
    """The queries of one user.

    Args:
        user: The user's connection.
        begin: Who the user is.
        counters: What is measured of each query.
        limit_s: What one query may take.
    """

    def __init__(self, user: UserSession, begin: Begin, counters: Counters, limit_s: float) -> None:
        self._user = user
        self._kind = begin.kind
        self._counters = counters
        self._limit = f"{limit_s:g} s"
        scale = float(begin.parameters["scale"])
        texts = {number: queries.text_of(number, begin.database, scale).encode("ascii") for number in queries.NUMBERS}
        order = queries.stream(begin.seed, begin.user)
        self._next = itertools.cycle([(number, texts[number]) for number in order]).__next__

    def __call__(self, retried: Callable[[], None]) -> Done:
        """Run the next query to its end, or to its limit."""
        number, statement = self._next()
        name, user = f"Q{number}", self._user
        while True:
            self._counters.begin()
            try:
                rows = user.rows(statement)
            except user.errors as error:
                if user.overran(error):
                    return Done(f"{name} over {self._limit}", counts=False, failed=True)
                if not user.repeats(error):
                    raise user.told(f"query {number} of a user of {self._kind}", error) from error
                retried()
                continue
            figures = self._counters.since(name)
            return Done(name, answer=f"{name} {answer_of(rows)}", figures=figures)
