"""TPC-H-like queries on a real PostgreSQL: their own laws; test_osdb_loads has those of all loads."""

import contextlib

import pytest

from scheduler.databases.database_registry import open_database
from scheduler.loads.tpch import queries
from scheduler.loads.tpch.tpch_users import connect_user
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.load import LoadSpec
from tests.contract.postgres_fixture import running_server
from tests.contract.tpch_contract import COSTS, KIND, OF_WORKERS, SMALL, TpchContract


class TestTpch(TpchContract):
    costs = (*COSTS, *OF_WORKERS)  # PostgreSQL 18, io_method = worker
    locking = "BEGIN; LOCK TABLE {}"
    unlocking = "COMMIT"

    @pytest.fixture
    def server(self, database):
        return database

    @pytest.fixture
    def alone(self):
        with running_server() as own:
            yield own

    def load(self, server, **parameters):
        return LoadSpec(KIND, users=2, parameters={"scale": SMALL, **parameters})

    @contextlib.contextmanager
    def session(self, server):
        with server.session() as connection, connection.cursor() as cursor:
            yield cursor.execute

    def drop_schema(self, server, name):
        server.ask(f"DROP SCHEMA {name} CASCADE")

    def test_query_may_come_by_a_connection_of_its_own_and_costs_more_page_faults_then(self, opened, server):
        """Of query 12 there were 2 on a connection that was used before, and 2,175 on a new one."""
        opened()
        faults = {way: self.faults_of_another_round(server, reconnect=way) for way in (False, True)}
        assert faults[True] > 2 * faults[False], faults

    def faults_of_another_round(self, server, **parameters):
        values = self.load(server, **parameters).values
        with contextlib.closing(open_database(server.url, server.secrets[server.url])) as database:
            user = connect_user(BeginOrder(database.params, KIND, tuples=0, seed=1, user=0, parameters=values))
        rounds = [[user(lambda: None) for _ in queries.QUERY_NUMBERS] for _ in range(2)]
        assert [done.answer for done in rounds[0]] == [done.answer for done in rounds[1]]
        found = [figure for done in rounds[1] for figure in done.figures if figure.name.endswith(" page faults")]
        assert len(found) == len(queries.QUERY_NUMBERS)
        user.leave()
        return sum(figure.value for figure in found)
