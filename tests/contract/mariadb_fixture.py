"""A real MariaDB for tests: started once per session, beside the PostgreSQL of `postgres_fixture`."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pymysql
import pytest

from scheduler.databases.mariadb.built_in_mariadb import BuiltInMariadb
from scheduler.databases.mariadb.mariadb_binaries import find_server
from scheduler.loads.osdb.osdb_schema import qualify_statement
from scheduler.model import load_kinds
from scheduler.model.load import LoadSpec
from tests import apart
from tests.contract.postgres_fixture import (
    SHARED_SERVER_CPUS,
    TUPLES,
    facts_of,
    home_in,
    memory_folder,
    open_folder,
    small,
    spec_of,
    started,
)
from tests.one_load import OneLoad, open_pool

KINDS = tuple(name for name, kind in load_kinds.LOAD_KINDS.items() if "mariadb" in kind.databases)


class Database:
    """A running server and how to get in."""

    def __init__(self, server: BuiltInMariadb) -> None:
        self.server = server
        self.url = server.url(server.address)
        self.secrets = {self.url: server.password}

    def load(self, kind: str, **more) -> LoadSpec:
        """Return a small load on this server."""
        return msgspec.structs.replace(small(kind), database=self.url, **more)

    def pool(self, *loads: LoadSpec, client_cpus: Sequence[int] = ()) -> OneLoad:
        """Return loads on this server, by default of every kind that runs here."""
        loads = loads or tuple(self.load(kind) for kind in KINDS)
        return open_pool(spec_of(*loads), facts_of(client_cpus), self.url, self.secrets)

    @contextlib.contextmanager
    def session(self, **more: str) -> Iterator[pymysql.cursors.Cursor]:
        """Yield a cursor of a connection in autocommit."""
        server = self.server
        who = {"user": server.user, "password": server.password, **more}
        connection = pymysql.connect(host="127.0.0.1", port=server.port, autocommit=True, **who)
        with contextlib.closing(connection), connection.cursor() as cursor:
            yield cursor

    def ask(self, query: str) -> list[tuple]:
        """Run one query; `@.` is the schema of the small database."""
        with self.session() as cursor:
            cursor.execute(qualify_statement(query, TUPLES))
            return list(cursor.fetchall())

    def value(self, query: str) -> object:
        """Return the first column of a query's first row."""
        return self.ask(query)[0][0]


@contextlib.contextmanager
def running_server(cpus: Sequence[int] = (), base: str | None = None) -> Iterator[Database]:
    """Yield a server of its own, gone afterwards.

    Args:
        cpus: CPUs that it may use; empty for all.
        base: Folder that its data are made in; None for a disk, whose pages can leave the memory.
    """
    with open_folder(base) as folder, started(BuiltInMariadb(find_server(), folder / "data", cpus), folder) as server:
        yield Database(server)


@pytest.fixture(scope="module")
def maria_folder() -> Iterator[Path]:
    """A data folder that the tests of a module share."""
    with open_folder() as folder, home_in(folder):
        yield folder / "data"


@pytest.fixture
def maria_server(maria_folder: Path) -> Iterator[BuiltInMariadb]:
    server = BuiltInMariadb(find_server(), maria_folder)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def maria() -> Iterator[Database]:
    """A server that is shared, and slow where others would pay for its speed: no law hangs on that."""
    with running_server(base=memory_folder()) as found, apart.slowed(found.server.pid, SHARED_SERVER_CPUS):
        yield found
