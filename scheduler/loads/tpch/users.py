"""One user: the 22 queries, one after the other, in the order of its stream; and then again."""

import itertools
from collections.abc import Callable

import msgspec

from scheduler.databases.base import UserSession
from scheduler.databases.registry import connect_user as connect_to
from scheduler.loads.operation import Done, Operation
from scheduler.loads.orders import Begin
from scheduler.loads.tpch import queries
from scheduler.loads.tpch.answers import answer_of
from scheduler.loads.tpch.counters import Counters, counters_of
from scheduler.loads.tpch.dialects import dialect_of
from scheduler.model.figures import Figure
from scheduler.model.tpch import COLD, RECONNECT

# Of 10 s each, within the 40 s that the crew waits: one lost packet or a starved guest ends no sweep.
_TRIES = 3


def connect_user(begin: Begin) -> Operation:
    """Return the operation of one user: the next query of its stream."""
    user, counters = _connected(begin)
    if begin.parameters[COLD]:
        user.close()
        return _ColdStream(user, begin, counters)
    stream = _NewStream if begin.parameters[RECONNECT] else _Stream
    return stream(user, begin, counters)


def _connected(begin: Begin) -> tuple[UserSession, Counters]:
    user = connect_to(begin.database, begin.connection, f"domtune {begin.kind} user {begin.user}", _TRIES)
    try:
        for statement in dialect_of(begin.database).user:
            user.change(statement.encode("ascii"))
        user.limit(float(begin.parameters["limit_s"]))
        return user, counters_of(user, begin.database)
    except user.errors as error:
        raise user.told(f"a user of {begin.kind}", error) from error


class _Stream:
    """The queries of one user.

    Args:
        user: The user's connection.
        begin: Who the user is.
        counters: What is measured of each query.
    """

    def __init__(self, user: UserSession, begin: Begin, counters: Counters) -> None:
        self._user = user
        self._begin = begin
        self._kind = begin.kind
        self._counters = counters
        self._limit = f"{float(begin.parameters['limit_s']):g} s"
        scale = float(begin.parameters["scale"])
        texts = {number: queries.text_of(number, begin.database, scale).encode("ascii") for number in queries.NUMBERS}
        order = queries.stream(begin.seed, begin.user)
        self._next = itertools.cycle([(number, texts[number]) for number in order]).__next__

    def leave(self) -> None:
        """Disconnect."""
        self._user.close()

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


class _NewStream(_Stream):
    """Likewise, each query with a connection of its own."""

    def __call__(self, retried: Callable[[], None]) -> Done:
        """Connect anew, then run the next query."""
        self._user.close()
        self._user, self._counters = _connected(self._begin)
        return super().__call__(retried)


class _ColdStream(_Stream):
    """Likewise, each query with a connection of its own to a database that was started anew."""

    def __init__(self, user: UserSession, begin: Begin, counters: Counters) -> None:
        super().__init__(user, begin, counters)
        self._kept_bytes = 0

    def come(self, kept_bytes: int) -> None:
        """Connect; the catalogs that this reads are not the query's."""
        self._user, self._counters = _connected(self._begin)
        self._kept_bytes = kept_bytes

    def __call__(self, retried: Callable[[], None]) -> Done:
        """Run the next query; beside what it cost stands what was in memory before."""
        done = super().__call__(retried)
        if not done.figures:
            return done
        kept = Figure(f"{done.sort} in memory before", float(self._kept_bytes), "bytes")
        return msgspec.structs.replace(done, figures=(*done.figures, kept))
