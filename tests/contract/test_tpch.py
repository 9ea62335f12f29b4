"""TPC-H-like queries on a real PostgreSQL: their own laws; test_osdb_loads has those of all loads."""

import pytest

from scheduler.loads.tpch import data, loading, queries
from scheduler.loads.tpch.schema import OUR_TABLES, schema_of
from scheduler.loads.tpch.workload import TpchWorkload
from scheduler.model.spec import LoadSpec
from tests import volume
from tests.contract.postgres_fixture import small
from tests.contract.tpch_answers import answers_of_duckdb, differences

KIND = "tpch"
SCALES = volume.times((0.01,), (0.01, 0.1))


@pytest.fixture
def loads(database):
    pool = database.pool(small(KIND))
    yield pool
    pool.close()


@pytest.mark.parametrize("scale", SCALES)
def test_that_all_answers_are_those_of_a_second_engine(database, scale):
    pool = database.pool(LoadSpec(KIND, users=1, parameters={"scale": scale}))
    try:
        pool.preflight()
        pool.prepare(KIND)
        wanted = answers_of_duckdb(data.files_of(scale), scale)
        found = {n: database.ask(queries.text_of(n, "postgresql", scale)) for n in queries.NUMBERS}
        assert {n: list(differences(found[n], wanted[n])) for n in found} == {n: [] for n in found}
        assert sum(map(len, found.values())) > 300
    finally:
        pool.close()
