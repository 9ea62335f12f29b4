"""Prepared tables of the brokerage on a real database, and users in this process."""

import contextlib
from collections.abc import Iterator

import msgspec

from scheduler.databases.database_registry import connect_transactions, open_database
from scheduler.databases.protocols import TransactionSession, WorkloadSession
from scheduler.loads.brokerage.brokerage_users import BrokerageSteps, BrokerageTerminal
from scheduler.loads.brokerage.brokerage_workload import BROKERAGE_TABLES, BrokerageWorkload
from scheduler.loads.brokerage.inputs import BrokerageInput, TradeOrderInput, TradeResultInput, TransactionResult
from scheduler.loads.brokerage.prices import BUY
from scheduler.loads.brokerage.size import CHANGED, brokerage_size
from scheduler.loads.tables.table_set import COPY
from scheduler.model.load import LoadSpec
from tests.contract.postgres_fixture import small

KIND = "brokerage"
DATABASES = ("postgresql", "mariadb")
MOMENTS = ("lt_dts", "t_dts", "th_dts", "h_dts", "ct_dts")


def order(account: int, security: int, **more) -> TradeOrderInput:
    usual = TradeOrderInput(account, security, BUY, 100, 0, is_cash=True, last_in=False, undone=False)
    return msgspec.structs.replace(usual, **more)


class World:
    """Prepared tables, a session that looks, and users in this process."""

    def __init__(self, server, session: WorkloadSession) -> None:
        self.server = server
        self.session = session
        self.database = session.database
        self.load = LoadSpec(KIND, users=2, database=server.url, parameters=small(KIND).parameters)
        self.size = brokerage_size(self.load.values)
        self.workload = BrokerageWorkload(self.load)
        self.workload.preflight(session)
        self.workload.prepare(session)

    @contextlib.contextmanager
    def user(self) -> Iterator[TransactionSession]:
        user = connect_transactions(self.database, self.session.params, "a test", 1, "read committed")
        try:
            yield user
        finally:
            user.close()

    def run(self, *asked: BrokerageInput) -> list[TransactionResult]:
        with self.user() as user:
            steps = BrokerageSteps(user, self.size, self.database)
            return [steps.run(each) for each in asked]

    def trade(self, *orders: TradeOrderInput) -> list[int]:
        """Give orders at the market's price and carry them out; return their numbers."""
        numbers = [number for ended in self.run(*orders) for number in ended.submitted]
        self.run(*map(TradeResultInput, numbers))
        return numbers

    def draw(self, many: int, seed: str) -> list[TransactionResult]:
        """Run what one user draws."""
        desk, found = BrokerageTerminal(self.size, seed), []
        drawn = desk.inputs()
        with self.user() as user:
            steps = BrokerageSteps(user, self.size, self.database)
            for _ in range(many):
                found.append(steps.run(next(drawn)))
                desk.queue.extend(found[-1].submitted)
        return found

    def ask(self, query: str) -> list[tuple]:
        return [tuple(row) for row in self.session.rows(self.size.named(query))]

    def one(self, query: str) -> tuple:
        [row] = self.ask(query)
        return row

    def value(self, query: str) -> float:
        """Return the only value of a query as a number; 0 for none."""
        return float(self.one(query)[0] or 0)

    def change(self, statement: str) -> None:
        assert self.session.execute(self.size.named(statement)) > 0

    def empty(self, account: int) -> None:
        """Have an account hold nothing, and be as rich as its cash says."""
        for table, column in (("holding", "h_ca_id"), ("holding_summary", "hs_ca_id")):
            self.session.execute(self.size.named(f"DELETE FROM @.{table} WHERE {column} = {account}"))

    def changed(self) -> dict[str, int]:
        """Return table to how many of its rows are not those that were loaded, moments included; none for none."""
        apart = "SELECT count(*) FROM (SELECT * FROM @.{} EXCEPT SELECT * FROM @.{}) AS apart"
        both = ((table, table + COPY) for table in CHANGED)
        rows = {a: int(self.value(apart.format(a, b)) + self.value(apart.format(b, a))) for a, b in both}
        return {table: many for table, many in rows.items() if many}

    def state(self) -> dict[str, list[str]]:
        """Return all rows that transactions change, without moments and without an order."""
        return {table: sorted(map(repr, self._rows(table))) for table in CHANGED}

    def _rows(self, table: str) -> list[list[str]]:
        columns = [name for name in BROKERAGE_TABLES[table].column_names if name not in MOMENTS]
        return [
            [str(value).strip() for value in row] for row in self.ask(f"SELECT {', '.join(columns)} FROM @.{table}")
        ]


@contextlib.contextmanager
def opened(name: str, request) -> Iterator[World]:
    server = request.getfixturevalue("maria" if name == "mariadb" else "database")
    database = open_database(server.url, server.server.password)
    try:
        yield World(server, database.session())
    finally:
        database.close()
