"""The ten transactions, statement by statement: each in its own round trip, on any database."""

from collections.abc import Callable
from typing import Any

from scheduler.databases.protocols import TransactionSession
from scheduler.loads.brokerage import inputs
from scheduler.loads.brokerage.inputs import BrokerageInput, TransactionResult
from scheduler.loads.brokerage.read_transactions import ReadTransactions
from scheduler.loads.brokerage.size import BrokerageSize
from scheduler.loads.brokerage.user_statements import UserStatements
from scheduler.loads.brokerage.write_transactions import WriteTransactions


class BrokerageSteps:
    """One user's transactions.

    Args:
        user: The user's connection.
        size: Of the database.
        database: Name of its kind.
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
        """Run one transaction, commit or rollback included; return how it ended. Raises Missed, Overtaken."""
        ended = self._ways[type(asked)](asked) or TransactionResult()
        if ended.undone:
            self._user.undo()
        else:
            self._user.commit()
        return ended
