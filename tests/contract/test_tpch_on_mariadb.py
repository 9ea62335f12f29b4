"""TPC-H-like queries on a real MariaDB: the same laws, the same answers."""

import contextlib

import pytest

from tests import volume
from tests.contract.mariadb_fixture import running_server
from tests.contract.tpch_contract import KIND, SMALL, TpchContract


class TestTpchOnMariadb(TpchContract):
    locking = "LOCK TABLES {} WRITE"
    unlocking = "UNLOCK TABLES"

    if not volume.deep():  # laws of our own tables, whatever they lie in: PostgreSQL's hold them, too
        test_rows_that_others_change_fail_the_check_and_are_loaded_again = None
        test_tables_are_used_again_and_half_loaded_ones_are_not = None
        test_each_cold_query_finds_a_server_just_started_with_nothing_in_memory = None

    @pytest.fixture
    def server(self, maria):
        return maria

    @pytest.fixture
    def alone(self):
        with running_server() as own:
            yield own

    def load(self, server, **parameters):
        return server.load(KIND, parameters={"scale": SMALL, **parameters})

    @contextlib.contextmanager
    def session(self, server):
        with server.session() as cursor:
            yield cursor.execute
