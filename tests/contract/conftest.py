"""Fixtures of the contract tests: one PostgreSQL, MariaDB and MySQL per session, and embedded ones to break."""

from collections.abc import Iterator

import pytest

from scheduler.loads.tpch import tpch_data
from tests.contract.mariadb_fixture import maria, maria_folder, maria_server
from tests.contract.mysql_fixture import mysql
from tests.contract.postgres_fixture import database, folder, server
from tests.volume import deep
from tests.xen_double.answer_server import SERVER

__all__ = ["database", "folder", "maria", "maria_folder", "maria_server", "mysql", "server"]

# Beside seven other tests a healthy worker may be silent for longer than it may: `make test-deep` has these.
collect_ignore = [] if deep() else ["test_cluster.py", "test_cluster_sweep.py"]


@pytest.fixture(scope="session", autouse=True)
def rows_kept(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[None]:
    """Have the rows of tpch made once for all workers, and not in the user's own cache."""
    base = tmp_path_factory.getbasetemp()
    kept = (base if worker_id == "master" else base.parent) / "tpch"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tpch_data, "cache_folder", lambda: kept)
        yield


@pytest.fixture(scope="module", autouse=True)
def _forked(forked_programs: None) -> None:
    """Fork user processes, cores and tests' own programs: how they start makes no difference to what they do."""


@pytest.fixture(scope="module", autouse=True)
def _stop_answer_server() -> Iterator[None]:
    """Count the CPU time of doubled Xen programs with the tests that called them (tests/cpu_budget.py)."""
    yield
    SERVER.stop()
