"""TPC-H-like queries on a real PostgreSQL: their own laws; test_osdb_loads has those of all loads."""

import contextlib

import pytest

from scheduler.model.spec import LoadSpec
from tests.contract.tpch_contract import KIND, SMALL, TpchContract


class TestTpch(TpchContract):
    locking = "BEGIN; LOCK TABLE {}"
    unlocking = "COMMIT"

    @pytest.fixture
    def server(self, database):
        return database

    def load(self, server, **parameters):
        return LoadSpec(KIND, users=2, parameters={"scale": SMALL, **parameters})

    @contextlib.contextmanager
    def session(self, server):
        with server.session() as connection, connection.cursor() as cursor:
            yield cursor.execute

    def drop_schema(self, server, name):
        server.ask(f"DROP SCHEMA {name} CASCADE")
