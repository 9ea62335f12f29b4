"""What is told of an embedded PostgreSQL that broke, and that what broke is still stopped at once."""

import io
import os
import signal
import threading
import time

import psutil
import psycopg2
import pytest

from scheduler.databases.postgresql import built_in_postgresql as server_module
from scheduler.databases.postgresql.copy_stream import copy_in
from scheduler.databases.postgresql.pg_client import translate_errors
from scheduler.errors import LoadError
from tests.contract.loads_contract import wait_until
from tests.contract.postgres_fixture import Database


def test_server_that_nothing_happened_to_has_no_trouble(server):
    with pytest.raises(psycopg2.errors.SyntaxError):
        Database(server).value("SELEC 1")
    assert server.failure_details() == ""
    server.stop()
    assert server.failure_details() == ""


class EndsInTheMiddle(io.RawIOBase):
    """Rows without an end; after the tenth part the server is told to end the connection."""

    def __init__(self, end):
        self._end, self._parts = end, 0

    def read(self, size=-1):
        self._parts += 1
        if self._parts == 10:
            self._end()
        return b"row\n" * 16_384


def test_copy_that_the_server_ends_is_reported_in_its_words(server, capfd):
    database = Database(server)
    with database.session() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE rows (line text)")
        end = f"SELECT pg_terminate_backend({connection.info.backend_pid})"
        with (
            pytest.raises(LoadError, match="terminating connection due to administrator command"),
            translate_errors("COPY"),
        ):
            copy_in(cursor, "COPY rows FROM STDIN", EndsInTheMiddle(lambda: database.value(end)))
    assert capfd.readouterr().err == ""


def test_killed_backend_is_distinguished_from_the_log(server):
    with Database(server).session() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [backend] = cursor.fetchone()
        os.kill(backend, signal.SIGKILL)
        wait_until(server.failure_details, "the postmaster's word")
        with pytest.raises(psycopg2.OperationalError):
            cursor.execute("SELECT 1")
    first, cause, *_ = server.failure_details().splitlines()
    assert first == f"PostgreSQL {server.version} lost a process and restarted; its log:"
    assert f"(PID {backend}) was terminated by signal 9" in cause


def test_server_that_recovers_from_a_loss_is_stopped_without_waiting_for_it(server):
    with Database(server).session() as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        wait_until(server.failure_details, "the postmaster's word")
    postmaster = psutil.Process(server.pid)
    began_s = time.monotonic()
    server.stop()
    assert time.monotonic() - began_s < server_module._LADDER[0][1] / 2
    assert not postmaster.is_running()


def test_killed_postmaster_is_reported_with_the_end_of_its_log(server):
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: not server.pid, "the end of the postmaster")
    first, *log = server.failure_details().splitlines()
    assert first == f"PostgreSQL {server.version} ended (signal 9); its log:"
    assert any("ready to accept connections" in line for line in log)


def test_what_is_reported_is_bounded_and_holds_no_password(server):
    statement = f"SELECT pg_sleep(20) /* {server.password} {'x' * 5_000} */"
    with Database(server).session() as connection:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            [backend] = cursor.fetchone()
        victim = threading.Thread(target=_expect_to_die, args=(connection, statement))
        victim.start()
        asleep = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
        wait_until(lambda: Database(server).value(asleep), "the sleep")
        os.kill(backend, signal.SIGKILL)
        victim.join(20)
    wait_until(lambda: "Failed process was running" in server.failure_details(), "the postmaster's word")
    assert server.password not in server.failure_details()
    assert "***" in server.failure_details()
    assert len(server.failure_details()) < 5_000


def _expect_to_die(connection, statement):
    with pytest.raises(psycopg2.OperationalError), connection.cursor() as cursor:
        cursor.execute(statement)
