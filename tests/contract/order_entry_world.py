"""Prepared tables of order entry on a real database, and users in this process."""

import contextlib
from collections.abc import Iterator

from scheduler.databases.database_registry import connect_transactions, open_database
from scheduler.databases.protocols import TransactionSession, WorkloadSession
from scheduler.loads.order_entry import inputs
from scheduler.loads.order_entry.inputs import NewOrderInput, OrderLine
from scheduler.loads.order_entry.order_entry_schema import ORDER_TABLES
from scheduler.loads.order_entry.order_entry_workload import OrderEntryWorkload
from scheduler.loads.order_entry.procedures import OrderEntryProcedures
from scheduler.loads.order_entry.size import CHANGED, order_entry_size
from scheduler.loads.order_entry.steps import OrderEntrySteps
from scheduler.model.load import LoadSpec
from tests.contract.postgres_fixture import small

KIND = "order-entry"
WAYS = ("functions", "postgresql", "mariadb")
"""Functions of PostgreSQL's, and statement by statement on both."""

MOMENTS = ("h_date", "o_entry_d", "ol_delivery_d")


def order(*lines: OrderLine, undone: bool = False) -> NewOrderInput:
    return NewOrderInput(1, 3, 7, lines, undone)


class World:
    """Prepared tables, a session that looks, and users in this process."""

    def __init__(self, way: str, server, session: WorkloadSession) -> None:
        self.server = server
        self.session = session
        self.database = session.database
        self.by_functions = way == "functions"
        self.load = LoadSpec(KIND, users=2, database=server.url, parameters=small(KIND).parameters)
        self.size = order_entry_size(self.load.values)
        self.workload = OrderEntryWorkload(self.load)
        self.workload.preflight(session)
        self.workload.prepare(session)

    @contextlib.contextmanager
    def user(self, isolation: str = "read committed") -> Iterator[TransactionSession]:
        user = connect_transactions(self.database, self.session.params, "a test", 1, isolation)
        try:
            yield user
        finally:
            user.close()

    def run(self, *asked: inputs.OrderEntryInput) -> list[str]:
        with self.user() as user:
            way = (
                OrderEntryProcedures(user, self.size)
                if self.by_functions
                else OrderEntrySteps(user, self.size, self.database)
            )
            return [way.run(each) for each in asked]

    def ask(self, query: str) -> list[tuple]:
        return [tuple(row) for row in self.session.rows(self.size.named(query))]

    def one(self, query: str) -> tuple:
        [row] = self.ask(query)
        return row

    def change(self, statement: str) -> None:
        assert self.session.execute(self.size.named(statement)) > 0

    def state(self) -> dict[str, list[tuple]]:
        """Return all rows that transactions change, without moments and without an order."""
        return {table: sorted(map(repr, self._rows(table))) for table in CHANGED}

    def _rows(self, table: str) -> list[list[str]]:
        columns = [name for name in ORDER_TABLES[table].column_names if name not in MOMENTS]
        return [
            [str(value).strip() for value in row] for row in self.ask(f"SELECT {', '.join(columns)} FROM @.{table}")
        ]


@contextlib.contextmanager
def opened(way: str, request) -> Iterator[World]:
    server = request.getfixturevalue("maria" if way == "mariadb" else "database")
    database = open_database(server.url, server.server.password)
    try:
        yield World(way, server, database.session())
    finally:
        database.close()
