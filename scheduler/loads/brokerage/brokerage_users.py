"""User of the brokerage load: draw a transaction, run it, repeat it on request."""

from collections.abc import Callable
from typing import Any

from scheduler.databases.database_registry import connect_transactions
from scheduler.databases.protocols import TransactionSession
from scheduler.loads.brokerage import inputs
from scheduler.loads.brokerage.inputs import SORTS, BrokerageInput, TransactionResult
from scheduler.loads.brokerage.read_transactions import ReadTransactions
from scheduler.loads.brokerage.size import BrokerageSize, brokerage_size
from scheduler.loads.brokerage.terminal import BrokerageTerminal
from scheduler.loads.brokerage.user_statements import UserStatements
from scheduler.loads.brokerage.write_transactions import WriteTransactions
from scheduler.loads.operation import Operation, OperationResult
from scheduler.loads.transaction_outcome import GIVEN_UP, UNDONE
from scheduler.loads.transaction_retry import retry_transaction
from scheduler.loads.user_messages import BeginOrder


class BrokerageSteps:
    """Transactions of one user.

    Args:
        user: The user's connection.
        size: Size of the database.
        database: Kind of database: `postgresql` or `mariadb`.
    """

    def __init__(self, user: TransactionSession, size: BrokerageSize, database: str) -> None:
        self._user = user
        statements = UserStatements(user, size, database)
        questions = ReadTransactions(statements)
        trading = WriteTransactions(statements, questions)
        self._ways: dict[type[BrokerageInput], Callable[[Any], TransactionResult | None]] = {
            inputs.BrokerVolumeInput: questions.broker_volume,
            inputs.CustomerPositionInput: questions.customer_position,
            inputs.MarketFeedInput: trading.market_feed,
            inputs.MarketWatchInput: questions.market_watch,
            inputs.SecurityDetailInput: questions.security_detail,
            inputs.TradeLookupInput: questions.trade_lookup,
            inputs.TradeOrderInput: trading.trade_order,
            inputs.TradeResultInput: trading.trade_result,
            inputs.TradeStatusInput: questions.trade_status,
            inputs.TradeUpdateInput: trading.trade_update,
        }

    def run(self, asked: BrokerageInput) -> TransactionResult:
        """Run one transaction with its commit or rollback; return its outcome.

        Raises:
            RowNotFound: A row that must exist is missing.
            SerializationConflict: Another user changed the rows first.
        """
        ended = self._ways[type(asked)](asked) or TransactionResult()
        if ended.undone:
            self._user.undo()
        else:
            self._user.commit()
        return ended


# The user pool waits 40 s for connections, and each attempt takes up to 10 s. So one lost packet or a starved guest
# does not end the sweep.
_TRIES = 3

TRADES_CHANGED = "trades changed: "
"""Prefix of the answer of a Trade-Update in the totals. The number of changed trades follows."""

_DONE = {asked: OperationResult(sort) for asked, sort in SORTS.items()}
_UPDATED = [
    OperationResult(inputs.TRADE_UPDATE, answer=f"{TRADES_CHANGED}{many}") for many in range(inputs.MOST_TRADES + 1)
]
_UNDONE = OperationResult(f"{inputs.TRADE_ORDER}, {UNDONE}", counts=False)
_GIVEN_UP = {asked: OperationResult(f"{sort}, {GIVEN_UP}", counts=False, failed=True) for asked, sort in SORTS.items()}


def connect_user(begin: BeginOrder) -> Operation:
    """Connect one user; return its operation."""
    size = brokerage_size(begin.parameters)
    isolation = str(begin.parameters["isolation"]).replace("-", " ")
    application = f"domtune {begin.kind} user {begin.user}"
    user = connect_transactions(begin.database, begin.connection, application, _TRIES, isolation)
    desk = BrokerageTerminal(size, f"{begin.seed}/{begin.kind}/{begin.user}")
    return repeat_transactions(user, BrokerageSteps(user, size, begin.database).run, desk)


def repeat_transactions(
    user: TransactionSession, run: Callable[[BrokerageInput], TransactionResult], desk: BrokerageTerminal
) -> Operation:
    """Return the operation that draws and runs the next transaction.

    Args:
        user: The user's connection.
        run: Runs a transaction to its end and returns its outcome.
        desk: Terminal that draws the inputs. Its queue receives submitted orders once they are committed.
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
