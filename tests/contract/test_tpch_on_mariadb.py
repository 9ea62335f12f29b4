"""TPC-H-like queries on a real MariaDB: the answers are those of the second engine there, too."""

import pytest

from scheduler.loads.tpch import data, queries
from tests import volume
from tests.contract.tpch_answers import answers_of_duckdb, differences

KIND = "tpch"
SCALES = volume.times((0.01,), (0.01, 0.1))


@pytest.mark.parametrize("scale", SCALES)
def test_that_all_answers_are_those_of_a_second_engine(maria, scale):
    pool = maria.pool(maria.least(KIND, parameters={"scale": scale}))
    try:
        pool.preflight()
        pool.prepare(KIND)
        wanted = answers_of_duckdb(data.files_of(scale), scale)
        found = {n: maria.ask(queries.text_of(n, "mariadb", scale)) for n in queries.NUMBERS}
        assert {n: list(differences(found[n], wanted[n])) for n in found} == {n: [] for n in found}
    finally:
        pool.close()
