"""One user of the brokerage: draws a transaction, runs it, and repeats it with the same input when the server asks."""

from collections.abc import Callable

from scheduler.databases.base import TransactionSession
from scheduler.databases.registry import connect_transactions
from scheduler.loads.brokerage import inputs
from scheduler.loads.brokerage.desk import Desk
from scheduler.loads.brokerage.inputs import SORTS, Ended, Input
from scheduler.loads.brokerage.size import size_of
from scheduler.loads.brokerage.steps import Steps
from scheduler.loads.operation import Done, Operation
from scheduler.loads.orders import Begin
from scheduler.loads.outcome import GIVEN_UP, UNDONE
from scheduler.loads.repeats import repeated

# Of 10 s each, within the 40 s that the crew waits: one lost packet or a starved guest ends no sweep.
_TRIES = 3

CHANGED = "trades changed: "
"""Before the number of trades that a Trade-Update changed, in what the totals count."""

_DONE = {asked: Done(sort) for asked, sort in SORTS.items()}
_UPDATED = [Done(inputs.TRADE_UPDATE, answer=f"{CHANGED}{many}") for many in range(inputs.MOST_TRADES + 1)]
_UNDONE = Done(f"{inputs.TRADE_ORDER}, {UNDONE}", counts=False)
_GIVEN_UP = {asked: Done(f"{sort}, {GIVEN_UP}", counts=False, failed=True) for asked, sort in SORTS.items()}


def connect_user(begin: Begin) -> Operation:
    """Return the operation of one user."""
    size = size_of(begin.parameters)
    isolation = str(begin.parameters["isolation"]).replace("-", " ")
    application = f"domtune {begin.kind} user {begin.user}"
    user = connect_transactions(begin.database, begin.connection, application, _TRIES, isolation)
    desk = Desk(size, f"{begin.seed}/{begin.kind}/{begin.user}")
    return repeating(user, Steps(user, size, begin.database).run, desk)


def repeating(user: TransactionSession, run: Callable[[Input], Ended], desk: Desk) -> Operation:
    """Return the operation.

    Args:
        user: The user's connection.
        run: Runs a transaction to its end, and says how it ended.
        desk: Draws what to run; orders that are to be carried out go into its queue once they are committed.
    """
    draw = desk.inputs().__next__

    def operation(retried: Callable[[], None]) -> Done:
        asked = draw()
        ended = repeated(user, run, asked, retried, "a user of the brokerage")
        if ended is None:
            return _GIVEN_UP[type(asked)]
        desk.queue.extend(ended.submitted)
        if ended.undone:
            return _UNDONE
        return _UPDATED[ended.changed] if isinstance(asked, inputs.TradeUpdate) else _DONE[type(asked)]

    return operation
