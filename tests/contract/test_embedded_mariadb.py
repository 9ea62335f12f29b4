"""The embedded MariaDB obeys what the embedded PostgreSQL does: only for us, on loopback, never root, gone with us."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import pymysql
import pytest

from scheduler.databases.mariadb import mariadb_binaries
from scheduler.databases.mariadb.built_in_mariadb import BuiltInMariadb
from scheduler.databases.mariadb.mariadb_binaries import find_server
from scheduler.databases.mariadb.mariadb_data import SETTINGS
from scheduler.errors import HostBusy, HostNotUsable
from tests.contract.loads_contract import wait_until
from tests.contract.mariadb_fixture import Database
from tests.contract.postgres_fixture import home_in, open_folder
from tests.killing import has_ended

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")

VICTIM = """
import json, sys
from pathlib import Path
from scheduler.databases.mariadb.mariadb_binaries import find_server
from scheduler.databases.mariadb.built_in_mariadb import BuiltInMariadb
server = BuiltInMariadb(find_server(), Path(sys.argv[1]))
server.start()
print(json.dumps([server.pid, server.port]), flush=True)
sys.stdin.read()
"""


def test_it_is_for_us_alone_on_loopback_never_root_and_set_up_as_we_report(maria_server, maria_folder):
    server, database = maria_server, Database(maria_server)
    assert str(database.value("SELECT version()")).startswith(f"{server.version}-MariaDB")
    process = psutil.Process(server.pid)
    assert 0 not in process.uids()
    assert process.gids().real != 0
    listening = [c for c in process.net_connections() if c.status == psutil.CONN_LISTEN]
    assert [(c.laddr.ip, c.laddr.port) for c in listening] == [("127.0.0.1", server.port)]
    assert process.net_connections(kind="unix") == []
    with socket.socket() as elsewhere, pytest.raises(OSError, match="refused"):
        elsewhere.connect(("127.0.0.2", server.port))
    users = database.ask("SELECT user, host FROM mysql.user")
    assert set(users) == {("domtune", "127.0.0.1"), ("mariadb.sys", "localhost")}  # the second one is locked
    for user in ("domtune", "root", "mariadb.sys", ""):
        with pytest.raises(pymysql.OperationalError):
            pymysql.connect(host="127.0.0.1", port=server.port, user=user, password="")
    kept = maria_folder / "password"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(maria_folder.stat().st_mode) == (0o710 if os.geteuid() == 0 else 0o700)
    assert maria_folder.stat().st_uid == kept.stat().st_uid == os.geteuid()
    assert stat.S_IMODE((maria_folder / "data").stat().st_mode) == 0o700
    assert server.password not in (maria_folder / "server.log").read_text() + " ".join(process.cmdline())
    for name in ("innodb-flush-log-at-trx-commit", "innodb-doublewrite", "performance-schema", "local-infile"):
        assert str(database.value(f"SELECT @@global.{name.replace('-', '_')}")) in {SETTINGS[name], "1", "0"}
    assert database.value("SELECT @@global.log_bin") == 0
    assert database.value("SELECT @@global.tmpdir") == str(maria_folder / "data")


def test_all_its_threads_stay_on_its_cpus(maria_folder):
    (first,) = sorted(os.sched_getaffinity(0))[:1]
    server = BuiltInMariadb(find_server(), maria_folder, cpus=(first,))
    server.start()
    try:
        with Database(server).session():  # with a thread of its own
            threads = [int(entry.name) for entry in Path(f"/proc/{server.pid}/task").iterdir()]
            assert len(threads) > 5
            assert {tuple(os.sched_getaffinity(thread)) for thread in threads} == {(first,)}
    finally:
        server.stop()


def test_data_outlive_a_kill_and_a_stop_and_what_ended_is_reported(maria_server):
    server, database = maria_server, Database(maria_server)
    database.ask("CREATE DATABASE kept")
    database.ask("CREATE TABLE kept.kept ENGINE=InnoDB AS SELECT 42 AS answer")
    assert server.failure_details() == ""
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: not server.pid, "the end of the server")
    first, *log = server.failure_details().splitlines()
    assert first == f"MariaDB {server.version} ended (signal 9); its log:"
    assert any("ready for connections" in line for line in log)
    server.stop()
    server.stop()
    server.start()
    assert server.notices == []
    assert Database(server).value("SELECT answer FROM kept.kept") == 42
    pid = server.pid
    server.stop()
    assert has_ended(pid)
    assert server.failure_details() == ""


def test_stopping_ends_it_even_when_it_hangs(maria_folder, monkeypatch):
    monkeypatch.setattr(BuiltInMariadb, "ladder", ((signal.SIGTERM, 0.2), (signal.SIGKILL, 5.0)))
    server = BuiltInMariadb(find_server(), maria_folder)
    server.start()
    pid = server.pid
    os.kill(pid, signal.SIGSTOP)
    server.stop()
    assert has_ended(pid)


def test_it_dies_with_its_parent_and_a_second_one_waits_for_that(maria_folder, monkeypatch):
    victim = subprocess.Popen(
        [sys.executable, "-c", VICTIM, str(maria_folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with victim:
        pid, _ = json.loads(victim.stdout.readline())
        monkeypatch.setattr(BuiltInMariadb, "leaving_s", 0.2)
        with pytest.raises(HostBusy, match=f"process {pid}"):
            BuiltInMariadb(find_server(), maria_folder).start()
        victim.kill()
        wait_until(lambda: has_ended(pid), "the end of the server")
    again = BuiltInMariadb(find_server(), maria_folder)
    again.start()
    try:
        assert Database(again).value("SELECT 1") == 1
        assert again.notices == []
    finally:
        again.stop()


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (lambda data: (data / "ibdata1").unlink(), "incomplete"),
        (lambda data: (data / "ibdata1").write_bytes(b"\0" * 12_582_912), "it ended with status"),
        (lambda data: (data.parent / "password").unlink(), "no password"),
    ],
    ids=["no system tables", "damaged system tables", "no password"],
)
def test_broken_data_are_quarantined_and_made_again(maria_folder, harm, why):
    if not (maria_folder / "data").exists():  # another worker had the tests before
        whole = BuiltInMariadb(find_server(), maria_folder)
        whole.start()
        whole.stop()
    harm(maria_folder / "data")
    server = BuiltInMariadb(find_server(), maria_folder)
    server.start()
    try:
        assert Database(server).value("SELECT 1") == 1
        [notice] = server.notices
        assert why in notice
        assert Path(notice.rpartition("moved to ")[2].rstrip(".")).parent == maria_folder
    finally:
        server.stop()


def test_port_that_is_taken_is_not_kept(maria_folder):
    server = BuiltInMariadb(find_server(), maria_folder)
    with socket.create_server(("127.0.0.1", 0)) as other:
        server.port = other.getsockname()[1]
        server.start()
        try:
            assert server.port != other.getsockname()[1]
        finally:
            server.stop()


@root_only
def test_full_disk_is_reported_in_words():
    with open_folder() as small, home_in(small):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m,mode=755", "tmpfs", str(small)], check=True)
        try:
            with pytest.raises(HostNotUsable) as caught:
                BuiltInMariadb(find_server(), small / "data").start()
            assert "disk full" in caught.value.hint
            assert not (small / "data" / "data").exists()
        finally:
            subprocess.run(["umount", str(small)], check=True)


def test_no_server_at_all_is_reported_with_the_package(monkeypatch):
    monkeypatch.setattr(mariadb_binaries, "_list_programs", lambda: iter(()))
    with pytest.raises(HostNotUsable, match="no MariaDB server is installed") as caught:
        find_server()
    assert "apt-get install mariadb-server-core" in caught.value.hint


def test_two_that_start_at_once_leave_each_other_alone(maria_folder):
    """A server removes temporary tables that it finds when it starts: they must be its own."""
    with open_folder() as elsewhere, home_in(elsewhere):
        one, other = BuiltInMariadb(find_server(), maria_folder), BuiltInMariadb(find_server(), elsewhere / "data")
        one.start()
        try:
            with Database(one).session() as cursor:
                cursor.execute("CREATE DATABASE IF NOT EXISTS held")
                cursor.execute("CREATE TEMPORARY TABLE held.held ENGINE=Aria AS SELECT 42 AS answer")
                other.start()
                other.stop()
                cursor.execute("SELECT answer FROM held.held")
                assert cursor.fetchall() == ((42,),)
        finally:
            one.stop()
