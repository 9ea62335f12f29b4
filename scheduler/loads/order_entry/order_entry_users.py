"""User of the order entry load: draw a transaction, run it, repeat it on request."""

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
from scheduler.translation import _

# The user pool waits 40 s for connections, and each attempt takes up to 10 s. So one lost packet or a starved guest
# does not end the sweep.
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
    """Connect one user; return its operation.

    The user's number determines its home warehouse.
    """
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
    """Return the operation that draws and runs the next transaction.

    Args:
        user: The user's connection.
        run: Runs a transaction to its end. Returns an empty text after a commit, else the outcome.
        desk: Terminal that draws the inputs.
    """
    draw = desk.inputs().__next__

    def operation(retried: Callable[[], None]) -> OperationResult:
        asked = draw()
        how = retry_transaction(user, run, asked, retried, _("a user of order entry"))
        if how is None:
            return _GIVEN_UP[type(asked)]
        return _UNDONE if how else _DONE[type(asked)]

    return operation
