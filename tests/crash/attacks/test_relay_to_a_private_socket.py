"""The attack: another account of the computer goes through the relay to a PostgreSQL that trusts its socket's users."""

import contextlib
import os
import pwd
import socket
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg2
import pytest

from scheduler.commands.simulation import open_sweep_loads
from scheduler.commands.sweep import add_own_passwords
from scheduler.databases import spawn
from scheduler.databases.account import server_account
from scheduler.databases.postgresql.postgresql_binaries import find_server, make_usable
from scheduler.databases.postgresql.postgresql_cluster import PostgresqlCluster
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.hosts.local.guest_server import GuestServer
from scheduler.model.load import LoadSpec
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import RunSpec
from tests.contract.loads_contract import wait_until
from tests.contract.postgres_fixture import database as database  # noqa: PLC0414 - a fixture
from tests.contract.postgres_fixture import home_in, memory_folder, open_folder
from tests.one_load import one_load

_STRANGER = "daemon"  # the server's own account may be nobody

pytestmark = [pytest.mark.crash, pytest.mark.skipif(os.geteuid() != 0, reason="needs root, who moves a server")]


@pytest.fixture(scope="module")
def trusting() -> Iterator[Path]:
    """The folder, mode 0700, of the socket of a PostgreSQL that lets everybody in who gets there."""
    with open_folder(memory_folder()) as folder, home_in(folder):
        account = server_account()
        binary = make_usable(find_server(), account)
        cluster = PostgresqlCluster(folder / "data", binary, account)
        cluster.make_folder()
        cluster.create()
        private = folder / "socket"
        private.mkdir(mode=0o700)
        (folder / "hba").write_text("local all all trust\n")
        (folder / "hba").chmod(0o644)
        os.chown(private, account.uid, account.gid)
        only = ["-c", f"unix_socket_directories={private}", "-c", "listen_addresses=", "-c", f"hba_file={folder}/hba"]
        words = spawn.build_command(account, (), [*cluster.command(5432), *only])
        with os.fdopen(cluster.begin_log(), "ab") as log:
            process = spawn.start_program(words, folder, log)
        try:
            wait_until(lambda: cluster.is_ready(process.pid), "the server")
            yield private
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture
def domains(trusting) -> Iterator[GuestServer]:
    domains = GuestServer(f"postgresql://domtune@/postgres?host={trusting}")
    domains.start()
    yield domains
    domains.stop()


def as_a_stranger(reach) -> str:
    """Return what befalls an account without rights that tries this; empty when it gets through."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        stranger = pwd.getpwnam(_STRANGER)
        os.setgroups([])
        os.setgid(stranger.pw_gid)
        os.setuid(stranger.pw_uid)
        said = b""
        try:
            reach()
        except OSError as error:
            said = str(error).encode()
        os.write(writer, said)
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as file:
        return file.read().decode()


def connect(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))


def test_we_get_through_the_relay_to_a_servers_socket(domains):
    with contextlib.closing(psycopg2.connect(domains.url())) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("domtune",)
    assert domains.passed().to_server > 0


def test_another_account_gets_nowhere(domains, trusting):
    path, _ = domains._relay.address
    assert "Permission denied" in as_a_stranger(lambda: connect(trusting / ".s.PGSQL.5432"))
    assert "Permission denied" in as_a_stranger(lambda: connect(Path(path)))
    assert "Permission denied" in as_a_stranger(lambda: next(Path(path).parent.iterdir()))


def test_no_port_of_this_computer_leads_to_the_socket(domains):
    process = psutil.Process(domains._relay.pid)
    assert process.net_connections("inet") == []


def test_relays_folder_goes_with_it(trusting):
    domains = GuestServer(f"postgresql://domtune@/postgres?host={trusting}")
    domains.start()
    folder = Path(domains._relay.address[0]).parent
    assert folder.is_dir()
    domains.stop()
    assert not folder.exists()


def test_users_find_their_password_under_the_name_of_the_database_and_not_of_the_relay(database, tmp_path, monkeypatch):
    server = database.server
    passfile = tmp_path / "pgpass"
    passfile.touch(mode=0o600)
    passfile.write_text(f"127.0.0.1:{server.port}:postgres:{server.user}:{server.password}\n")
    monkeypatch.setenv("PGPASSFILE", str(passfile))
    monkeypatch.delenv("PGPASSWORD", raising=False)
    work_through_the_relay(database.url, server.password)


def test_users_are_given_the_password_of_the_environment_and_inherit_none(database, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", database.server.password)
    work_through_the_relay(database.url, database.server.password)


def work_through_the_relay(url: str, password: str) -> None:
    """Run two users on a server of somebody else's as a sweep of `local:` does; no process shows the password."""
    load = LoadSpec("osdb-ir", users=2, tuples=2000, database=url)
    spec = RunSpec("local:", (parse_split_setting("1:1"),), (load,))
    host = open_host("local:", ignore_command, database=url)
    try:
        host.boot()
        loads = one_load(open_sweep_loads(host, spec, host.facts(), add_own_passwords(spec, {})), spec)
        loads.preflight()
        loads.prepare("osdb-ir")
        loads.start("osdb-ir")
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                assert password not in " ".join([*child.cmdline(), *child.environ().values()])
        assert len(loads.pids) == 2
        loads.close()
    finally:
        host.close()
