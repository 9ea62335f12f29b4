"""TPC-H-like queries on a real PostgreSQL: their own laws; test_osdb_loads has those of all loads."""

import contextlib

import pytest

from scheduler.model.spec import LoadSpec
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
