"""One user of order entry: draws a transaction, runs it, and repeats it with the same input when the server asks."""

from collections.abc import Callable

from scheduler.databases.database_registry import connect_transactions
from scheduler.databases.protocols import TransactionSession
from scheduler.loads.operation import Operation, OperationResult
from scheduler.loads.order_entry import inputs
from scheduler.loads.order_entry.inputs import OrderEntryInput, OrderEntryTerminal
from scheduler.loads.order_entry.procedures import OrderEntryProcedures
from scheduler.loads.order_entry.size import order_entry_size
from scheduler.loads.order_entry.steps import OrderEntrySteps
from scheduler.loads.transaction_outcome import GIVEN_UP, UNDONE
from scheduler.loads.transaction_retry import retry_transaction
from scheduler.loads.user_messages import BeginOrder

# Of 10 s each, within the 40 s that the crew waits: one lost packet or a starved guest ends no sweep.
_TRIES = 3

_SORTS: dict[type[OrderEntryInput], str] = {
    inputs.NewOrderInput: inputs.NEW_ORDER,
    inputs.PaymentInput: inputs.PAYMENT,
    inputs.OrderStatusInput: inputs.ORDER_STATUS,
    inputs.DeliveryInput: inputs.DELIVERY,
    inputs.StockLevelInput: inputs.STOCK_LEVEL,
}
_DONE = {asked: OperationResult(sort) for asked, sort in _SORTS.items()}
_UNDONE = OperationResult(f"{inputs.NEW_ORDER}, {UNDONE}", counts=False)
_GIVEN_UP = {asked: OperationResult(f"{sort}, {GIVEN_UP}", counts=False, failed=True) for asked, sort in _SORTS.items()}


def connect_user(begin: BeginOrder) -> Operation:
    """Return the operation of one user; its home is the warehouse of its number."""
    size = order_entry_size(begin.parameters)
    isolation = str(begin.parameters["isolation"]).replace("-", " ")
    application = f"domtune {begin.kind} user {begin.user}"
    user = connect_transactions(begin.database, begin.connection, application, _TRIES, isolation)
    by_functions = begin.database == "postgresql" and begin.parameters["procedures"]
    run = (OrderEntryProcedures(user, size) if by_functions else OrderEntrySteps(user, size, begin.database)).run
    return repeat_transactions(
        user, run, OrderEntryTerminal(size, begin.user, f"{begin.seed}/{begin.kind}/{begin.user}")
    )


def repeat_transactions(
    user: TransactionSession, run: Callable[[OrderEntryInput], str], desk: OrderEntryTerminal
) -> Operation:
    """Return the operation.

    Args:
        user: The user's connection.
        run: Runs a transaction to its end, and says how it ended if not by its commit.
        desk: Draws what to run.
    """
    draw = desk.inputs().__next__

    def operation(retried: Callable[[], None]) -> OperationResult:
        asked = draw()
        how = retry_transaction(user, run, asked, retried, "a user of order entry")
        if how is None:
            return _GIVEN_UP[type(asked)]
        return _UNDONE if how else _DONE[type(asked)]

    return operation
