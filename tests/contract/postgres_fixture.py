"""A real PostgreSQL for tests: started once per session, in a folder that the server's account can enter."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import psycopg2
import pytest

from scheduler.databases.built_in_server import BuiltInServer
from scheduler.databases.postgresql.built_in_postgresql import BuiltInPostgresql
from scheduler.databases.postgresql.postgresql_binaries import find_server
from scheduler.loads.osdb.osdb_schema import qualify_statement
from scheduler.model import load_kinds
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import RunSpec
from tests import apart
from tests.one_load import OneLoad, open_pool

Brought = TypeVar("Brought", bound=BuiltInServer)

KINDS = tuple(name for name, kind in load_kinds.LOAD_KINDS.items() if "postgresql" in kind.databases)
TUPLES = 2_000
SHARED_SERVER_CPUS = 0.1
"""CPUs of a server that tests share: users who work as fast as they can use all that it has."""
_MEMORY_BYTES = 4 << 30  # databases of six workers, 40 to 300 MB each
ORDERS = {"warehouses": 1, "customers": 30, "items": 100}
LEAST = {
    **ORDERS,
    "tables": 2,
    "table_size": 1_000,
    "command": "sh -c 'while :; do echo 100 ops; sleep 0.2; echo 102 ops; sleep 0.2; done'",
}
"""Parameters of the least that will do, by name."""


class Database:
    """A running server and how to get in."""

    def __init__(self, server: BuiltInPostgresql) -> None:
        self.server = server
        self.url = f"postgresql://{server.user}@127.0.0.1:{server.port}/{server.database}"
        self.secrets = {self.url: server.password}

    def pool(self, *loads: LoadSpec, client_cpus: Sequence[int] = ()) -> OneLoad:
        """Return loads on this server, by default of every kind that runs here, two users each, on a small database."""
        loads = loads or tuple(small(kind) for kind in KINDS)
        return open_pool(spec_of(*loads), facts_of(client_cpus), self.url, self.secrets)

    @contextlib.contextmanager
    def session(self, database: str = "postgres", **more: str) -> Iterator[psycopg2.extensions.connection]:
        """Yield a connection in autocommit."""
        server = self.server
        who = {"user": server.user, "password": server.password, "dbname": database, **more}
        connection = psycopg2.connect(host="127.0.0.1", port=server.port, **who)
        connection.autocommit = True
        try:
            yield connection
        finally:
            connection.close()

    def value(self, query: str) -> object:
        """Return the first column of a query's first row."""
        with self.session() as connection, connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetchone()[0]

    def ask(self, query: str) -> list[tuple]:
        """Run one query; `@.` is the schema of the small database."""
        with self.session() as connection, connection.cursor() as cursor:
            cursor.execute(qualify_statement(query, TUPLES))
            return cursor.fetchall() if cursor.description else []


def small(kind: str) -> LoadSpec:
    """Return a load of two users on the least that will do."""
    parameters = load_kinds.LOAD_KINDS[kind].parameters
    declared = {parameter.name for parameter in parameters}
    sized = LoadSpec(kind, users=2, tuples=TUPLES) if "tuples" in declared else LoadSpec(kind, users=2)
    least = {name: value for name, value in LEAST.items() if name in declared}
    lows = {each.name: type(each.default)(each.low) for each in parameters}
    least |= {name: low for name, low in lows.items() if name == "scale" or (name in LEAST and least[name] < low)}
    return msgspec.structs.replace(sized, parameters=least)


def spec_of(*loads: LoadSpec) -> RunSpec:
    return RunSpec(host_url="local:", settings=(parse_split_setting("1:1"),), loads=loads)


def facts_of(client_cpus: Sequence[int] = ()) -> HostProperties:
    return HostProperties(
        host_id="test",
        url="local:",
        title="a test",
        scheduler="cgroup-v2",
        pcpus=os.cpu_count() or 1,
        shared_cpus=(0,),
        client_cpus=tuple(client_cpus),
        domains=(),
        versions={},
    )


@contextlib.contextmanager
def open_folder(base: str | None = None) -> Iterator[Path]:
    """Yield a temporary folder that every account can enter (pytest's own are closed to others).

    Args:
        base: Folder that it is made in; None for the usual one.
    """
    folder = Path(tempfile.mkdtemp(prefix="domtune-test-", dir=base))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def memory_folder() -> str | None:
    """Return a folder in memory, where copies of a database cost a tenth of the CPU time; None without enough room."""
    folder = Path("/dev/shm")
    if not folder.is_dir():
        return None
    room = os.statvfs(folder)
    is_usable = room.f_bavail * room.f_frsize >= _MEMORY_BYTES and not room.f_flag & os.ST_NOEXEC
    return str(folder) if is_usable else None


@contextlib.contextmanager
def home_in(folder: Path) -> Iterator[None]:
    """Let DomTune's files, among them a copy of the server's programs, go below `folder`."""
    before = os.environ.get("DOMTUNE_HOME")
    os.environ["DOMTUNE_HOME"] = str(folder)
    try:
        yield
    finally:
        os.environ.pop("DOMTUNE_HOME")
        if before is not None:
            os.environ["DOMTUNE_HOME"] = before


@contextlib.contextmanager
def started(server: Brought, folder: Path) -> Iterator[Brought]:
    """Yield a server, started at home in a folder and stopped afterwards."""
    with home_in(folder):
        server.start()
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def running_server(cpus: Sequence[int] = (), base: str | None = None) -> Iterator[Database]:
    """Yield a server of its own, gone afterwards.

    Args:
        cpus: CPUs that it may use; empty for all.
        base: Folder that its data are made in; None for a disk, whose pages can leave the memory.
    """
    with (
        open_folder(base) as folder,
        started(BuiltInPostgresql(find_server(), folder / "data", cpus), folder) as server,
    ):
        yield Database(server)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A data folder that the tests of a module share: setting one up takes seconds."""
    with open_folder() as folder, home_in(folder):
        yield folder / "data"


@pytest.fixture
def server(folder: Path) -> Iterator[BuiltInPostgresql]:
    server = BuiltInPostgresql(find_server(), folder)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def database() -> Iterator[Database]:
    """A server that is shared, and slow where others would pay for its speed: no law hangs on that."""
    with running_server(base=memory_folder()) as found, apart.slowed(found.server.pid, SHARED_SERVER_CPUS):
        yield found
