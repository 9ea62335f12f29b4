"""The ten transactions, statement by statement: each in its own round trip, on any database."""

from collections.abc import Callable
from typing import Any

from scheduler.databases.base import TransactionSession
from scheduler.loads.brokerage import inputs
from scheduler.loads.brokerage.inputs import Ended, Input
from scheduler.loads.brokerage.questions import Questions
from scheduler.loads.brokerage.size import Size
from scheduler.loads.brokerage.statements import Statements
from scheduler.loads.brokerage.trading import Trading


class Steps:
    """One user's transactions.

    Args:
        user: The user's connection.
        size: Of the database.
        database: Name of its kind.
    """

    def __init__(self, user: TransactionSession, size: Size, database: str) -> None:
        self._user = user
        statements = Statements(user, size, database)
        questions = Questions(statements)
        trading = Trading(statements, questions)
        self._ways: dict[type[Input], Callable[[Any], Ended | None]] = {
            inputs.BrokerVolume: questions.broker_volume,
            inputs.CustomerPosition: questions.customer_position,
            inputs.MarketFeed: trading.market_feed,
            inputs.MarketWatch: questions.market_watch,
            inputs.SecurityDetail: questions.security_detail,
            inputs.TradeLookup: questions.trade_lookup,
            inputs.TradeOrder: trading.trade_order,
            inputs.TradeResult: trading.trade_result,
            inputs.TradeStatus: questions.trade_status,
            inputs.TradeUpdate: trading.trade_update,
        }

    def run(self, asked: Input) -> Ended:
        """Run one transaction, commit or rollback included; return how it ended. Raises Missed, Overtaken."""
        ended = self._ways[type(asked)](asked) or Ended()
        if ended.undone:
            self._user.undo()
        else:
            self._user.commit()
        return ended
