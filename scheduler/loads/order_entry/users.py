"""One user of order entry: draws a transaction, runs it, and repeats it with the same input when the server asks."""

from collections.abc import Callable

from scheduler.databases.base import TransactionSession
from scheduler.databases.registry import connect_transactions
from scheduler.loads.operation import Done, Operation
from scheduler.loads.order_entry import inputs
from scheduler.loads.order_entry.inputs import Desk, Input
from scheduler.loads.order_entry.procedures import Procedures
from scheduler.loads.order_entry.size import size_of
from scheduler.loads.order_entry.steps import Steps
from scheduler.loads.orders import Begin
from scheduler.loads.outcome import GIVEN_UP, UNDONE
from scheduler.loads.repeats import repeated

# Of 10 s each, within the 40 s that the crew waits: one lost packet or a starved guest ends no sweep.
_TRIES = 3

_SORTS: dict[type[Input], str] = {
    inputs.NewOrder: inputs.NEW_ORDER,
    inputs.Payment: inputs.PAYMENT,
    inputs.OrderStatus: inputs.ORDER_STATUS,
    inputs.Delivery: inputs.DELIVERY,
    inputs.StockLevel: inputs.STOCK_LEVEL,
}
_DONE = {asked: Done(sort) for asked, sort in _SORTS.items()}
_UNDONE = Done(f"{inputs.NEW_ORDER}, {UNDONE}", counts=False)
_GIVEN_UP = {asked: Done(f"{sort}, {GIVEN_UP}", counts=False, failed=True) for asked, sort in _SORTS.items()}


def connect_user(begin: Begin) -> Operation:
    """Return the operation of one user; its home is the warehouse of its number."""
    size = size_of(begin.parameters)
    isolation = str(begin.parameters["isolation"]).replace("-", " ")
    application = f"domtune {begin.kind} user {begin.user}"
    user = connect_transactions(begin.database, begin.connection, application, _TRIES, isolation)
    by_functions = begin.database == "postgresql" and begin.parameters["procedures"]
    run = (Procedures(user, size) if by_functions else Steps(user, size, begin.database)).run
    return repeating(user, run, Desk(size, begin.user, f"{begin.seed}/{begin.kind}/{begin.user}"))


def repeating(user: TransactionSession, run: Callable[[Input], str], desk: Desk) -> Operation:
    """Return the operation.

    Args:
        user: The user's connection.
        run: Runs a transaction to its end, and says how it ended if not by its commit.
        desk: Draws what to run.
    """
    draw = desk.inputs().__next__

    def operation(retried: Callable[[], None]) -> Done:
        asked = draw()
        how = repeated(user, run, asked, retried, "a user of order entry")
        if how is None:
            return _GIVEN_UP[type(asked)]
        return _UNDONE if how else _DONE[type(asked)]

    return operation
