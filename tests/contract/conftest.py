"""What the contract tests share: one PostgreSQL and one MariaDB per session, and embedded ones to break."""

from collections.abc import Iterator

import pytest

from scheduler.loads.tpch import data
from tests.contract.mariadb_fixture import maria, maria_folder, maria_server
from tests.contract.postgres_fixture import database, folder, server

__all__ = ["database", "folder", "maria", "maria_folder", "maria_server", "server"]


@pytest.fixture(scope="session", autouse=True)
def rows_kept(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[None]:
    """Have the rows of tpch made once for all workers, and not in the user's own cache."""
    base = tmp_path_factory.getbasetemp()
    kept = (base if worker_id == "master" else base.parent) / "tpch"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "cache", lambda: kept)
        yield
