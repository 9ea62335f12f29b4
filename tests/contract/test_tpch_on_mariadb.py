"""TPC-H-like queries on a real MariaDB: the same laws, the same answers."""

import contextlib

import pytest

from tests.contract.tpch_contract import KIND, SMALL, TpchContract


class TestTpchOnMariadb(TpchContract):
    locking = "LOCK TABLES {} WRITE"
    unlocking = "UNLOCK TABLES"

    @pytest.fixture
    def server(self, maria):
        return maria

    def load(self, server, **parameters):
        return server.least(KIND, parameters={"scale": SMALL, **parameters})

    @contextlib.contextmanager
    def session(self, server):
        with server.session() as cursor:
            yield cursor.execute
