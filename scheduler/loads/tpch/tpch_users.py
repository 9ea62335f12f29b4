"""User of the load tpch: the 22 queries in a fixed order, over and over."""

import itertools
from collections.abc import Callable

import msgspec

from scheduler.databases.database_registry import connect_user as connect_to
from scheduler.databases.protocols import UserSession
from scheduler.loads.operation import Operation, OperationResult
from scheduler.loads.tpch import queries
from scheduler.loads.tpch.query_answers import answer_digest
from scheduler.loads.tpch.query_counters import QueryCounters, open_counters
from scheduler.loads.tpch.tpch_schema import USER_STATEMENTS
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.named_figures import NamedFigure
from scheduler.model.tpch_parameters import COLD_PARAMETER, RECONNECT_PARAMETER
from scheduler.translation import _

# The user pool waits 40 s for connections, and each attempt takes up to 10 s. So one lost packet or a starved guest
# does not end the sweep.
_TRIES = 3


def connect_user(begin: BeginOrder) -> Operation:
    """Connect one user; return its operation, which runs the next query."""
    user, counters = _connect_measured(begin)
    if begin.parameters[COLD_PARAMETER]:
        user.close()
        return _ColdStream(user, begin, counters)
    stream = _ReconnectingStream if begin.parameters[RECONNECT_PARAMETER] else _QueryStream
    return stream(user, begin, counters)


def _connect_measured(begin: BeginOrder) -> tuple[UserSession, QueryCounters]:
    user = connect_to(begin.database, begin.connection, f"domtune {begin.kind} user {begin.user}", _TRIES)
    try:
        for statement in USER_STATEMENTS[begin.database]:
            user.change(statement.encode("ascii"))
        user.limit(float(begin.parameters["limit_s"]))
        return user, open_counters(user, begin.database)
    except user.errors as error:
        raise user.told(_("a user of {kind}").format(kind=begin.kind), error) from error


class _QueryStream:
    """Queries of one user, over one connection.

    Args:
        user: The user's connection.
        begin: Identity and parameters of the user.
        counters: Measurement of each query.
    """

    def __init__(self, user: UserSession, begin: BeginOrder, counters: QueryCounters) -> None:
        self._user = user
        self._begin = begin
        self._kind = begin.kind
        self._counters = counters
        self._limit = f"{float(begin.parameters['limit_s']):g} s"
        scale = float(begin.parameters["scale"])
        texts = {
            number: queries.query_text(number, begin.database, scale).encode("ascii")
            for number in queries.QUERY_NUMBERS
        }
        order = queries.query_order(begin.seed, begin.user)
        self._next = itertools.cycle([(number, texts[number]) for number in order]).__next__

    def leave(self) -> None:
        """Disconnect."""
        self._user.close()

    def __call__(self, retried: Callable[[], None]) -> OperationResult:
        """Run the next query to its end, or to its time limit."""
        number, statement = self._next()
        name, user = f"Q{number}", self._user
        while True:
            self._counters.begin()
            try:
                rows = user.rows(statement)
            except user.errors as error:
                if user.is_overrun(error):
                    return OperationResult(
                        _("{name} over {limit}").format(name=name, limit=self._limit), counts=False, failed=True
                    )
                if not user.repeats(error):
                    raise user.told(
                        _("query {number} of a user of {kind}").format(number=number, kind=self._kind), error
                    ) from error
                retried()
                continue
            figures = self._counters.since(name)
            return OperationResult(name, answer=f"{name} {answer_digest(rows)}", figures=figures)


class _ReconnectingStream(_QueryStream):
    """Queries of one user, each over its own connection."""

    def __call__(self, retried: Callable[[], None]) -> OperationResult:
        """Connect again, then run the next query."""
        self._user.close()
        self._user, self._counters = _connect_measured(self._begin)
        return super().__call__(retried)


class _ColdStream(_QueryStream):
    """Queries of one user, each over its own connection to a restarted database."""

    def __init__(self, user: UserSession, begin: BeginOrder, counters: QueryCounters) -> None:
        super().__init__(user, begin, counters)
        self._kept_bytes = 0

    def come(self, kept_bytes: int) -> None:
        """Connect; reading the catalogs here keeps it out of the query's time."""
        self._user, self._counters = _connect_measured(self._begin)
        self._kept_bytes = kept_bytes

    def __call__(self, retried: Callable[[], None]) -> OperationResult:
        """Run the next query; add the bytes that stayed in memory to its figures."""
        done = super().__call__(retried)
        if not done.figures:
            return done
        kept = NamedFigure(_("{sort} in memory before").format(sort=done.sort), float(self._kept_bytes), "bytes")
        return msgspec.structs.replace(done, figures=(*done.figures, kept))
