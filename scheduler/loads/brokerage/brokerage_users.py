"""One user of the brokerage: draws a transaction, runs it, and repeats it with the same input when the server asks."""

from collections.abc import Callable

from scheduler.databases.database_registry import connect_transactions
from scheduler.databases.protocols import TransactionSession
from scheduler.loads.brokerage import inputs
from scheduler.loads.brokerage.inputs import SORTS, BrokerageInput, TransactionResult
from scheduler.loads.brokerage.size import brokerage_size
from scheduler.loads.brokerage.steps import BrokerageSteps
from scheduler.loads.brokerage.terminal import BrokerageTerminal
from scheduler.loads.operation import Operation, OperationResult
from scheduler.loads.transaction_outcome import GIVEN_UP, UNDONE
from scheduler.loads.transaction_retry import retry_transaction
from scheduler.loads.user_messages import BeginOrder

# Of 10 s each, within the 40 s that the crew waits: one lost packet or a starved guest ends no sweep.
_TRIES = 3

TRADES_CHANGED = "trades changed: "
"""Before the number of trades that a Trade-Update changed, in what the totals count."""

_DONE = {asked: OperationResult(sort) for asked, sort in SORTS.items()}
_UPDATED = [
    OperationResult(inputs.TRADE_UPDATE, answer=f"{TRADES_CHANGED}{many}") for many in range(inputs.MOST_TRADES + 1)
]
_UNDONE = OperationResult(f"{inputs.TRADE_ORDER}, {UNDONE}", counts=False)
_GIVEN_UP = {asked: OperationResult(f"{sort}, {GIVEN_UP}", counts=False, failed=True) for asked, sort in SORTS.items()}


def connect_user(begin: BeginOrder) -> Operation:
    """Return the operation of one user."""
    size = brokerage_size(begin.parameters)
    isolation = str(begin.parameters["isolation"]).replace("-", " ")
    application = f"domtune {begin.kind} user {begin.user}"
    user = connect_transactions(begin.database, begin.connection, application, _TRIES, isolation)
    desk = BrokerageTerminal(size, f"{begin.seed}/{begin.kind}/{begin.user}")
    return repeat_transactions(user, BrokerageSteps(user, size, begin.database).run, desk)


def repeat_transactions(
    user: TransactionSession, run: Callable[[BrokerageInput], TransactionResult], desk: BrokerageTerminal
) -> Operation:
    """Return the operation.

    Args:
        user: The user's connection.
        run: Runs a transaction to its end, and says how it ended.
        desk: Draws what to run; orders that are to be carried out go into its queue once they are committed.
    """
    draw = desk.inputs().__next__

    def operation(retried: Callable[[], None]) -> OperationResult:
        asked = draw()
        ended = retry_transaction(user, run, asked, retried, "a user of the brokerage")
        if ended is None:
            return _GIVEN_UP[type(asked)]
        desk.queue.extend(ended.submitted)
        if ended.undone:
            return _UNDONE
        return _UPDATED[ended.changed] if isinstance(asked, inputs.TradeUpdateInput) else _DONE[type(asked)]

    return operation
