"""What is told of a server's end: nothing of another's log, and nothing that cannot be freed of the password."""

import subprocess
from pathlib import Path

import pytest

from scheduler.databases.postgresql.built_in_postgresql import BuiltInPostgresql, is_damage
from scheduler.databases.postgresql.postgresql_binaries import PostgresqlBinary

LOG = (
    "LOG:  server process (PID 7) was terminated by signal 9: Killed\n"
    "DETAIL:  Failed process was running: ALTER ROLE domtune PASSWORD 'hunter2'\n"
)


@pytest.fixture
def server(tmp_path):
    (tmp_path / "server.log").write_text(LOG)
    (tmp_path / "password").write_text("hunter2\n")
    return BuiltInPostgresql(PostgresqlBinary(Path("/nowhere"), "18.1", "installed"), tmp_path)


def end_of(server):
    """Give it a process of its own that has ended."""
    server._process = subprocess.Popen(["true"])
    server._process.wait()
    return server.failure_details()


def test_server_that_was_never_started_is_not_blamed_for_what_an_earlier_one_logged(server):
    assert server.failure_details() == ""


def test_password_is_taken_out_of_what_is_reported(server):
    reported = end_of(server)
    assert "PID 7" in reported
    assert "hunter2" not in reported


@pytest.mark.parametrize("left", [None, "\n"])
def test_log_whose_password_is_not_known_any_more_is_not_reported(server, tmp_path, left):
    if left is None:
        (tmp_path / "password").unlink()
    else:
        (tmp_path / "password").write_text(left)
    reported = end_of(server)
    assert reported.startswith("PostgreSQL 18.1 ended (status 0)")
    assert str(tmp_path / "server.log") in reported
    assert "hunter2" not in reported


BLAME_THE_DATA = (
    "PANIC:  could not locate a valid checkpoint record at 0/15A3F28",
    "LOG:  invalid checkpoint record",
    "FATAL:  incorrect checksum in control file",
    'PANIC:  could not open file "global/pg_control": No such file or directory',
    'FATAL:  could not open file "base/1/2601": No such file or directory',
    'FATAL:  required WAL directory "pg_wal" does not exist',
    "FATAL:  database files are incompatible with server",
    "FATAL:  could not load /var/cache/domtune/postgres/data-18/cluster/pg_hba.conf",
    "FATAL:  could not access status of transaction 0",
)
BLAME_SOMETHING_ELSE = (
    "FATAL:  insufficient file descriptors available to start server process",
    'PANIC:  could not open file "global/pg_control": Too many open files',
    'PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device',
    'PANIC:  could not open file "global/pg_control": Permission denied',
    'FATAL:  could not read file "base/1/2601": Input/output error',
    "FATAL:  could not map anonymous shared memory: Cannot allocate memory",
    'FATAL:  lock file "postmaster.pid" already exists',
    "FATAL:  could not create any TCP/IP sockets",
    'FATAL:  could not access file "libz": No such file or directory',
    "/opt/pg/bin/postgres: error while loading shared libraries: libssl.so.3: cannot open shared object file",
    "it was not ready within 60 s",
    "",
)


@pytest.mark.parametrize("said", BLAME_THE_DATA)
def test_data_which_the_server_blames_are_damaged(said):
    assert is_damage(f"it ended with status 1\n{said}")


@pytest.mark.parametrize("said", BLAME_SOMETHING_ELSE)
def test_data_are_not_damaged_by_what_lies_elsewhere(said):
    assert not is_damage(f"it ended with status 1\n{said}")
