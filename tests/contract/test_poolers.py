"""Connection poolers in front of a server: refused without sessions, reported with them, and nothing is left behind."""

import contextlib
import json
import re
import socket
import struct
import sys
import threading

import pytest

from scheduler.commands.parser import main
from scheduler.errors import DatabaseUnreachable, DatabaseUnsuitable
from scheduler.loads.commit_counter import CommitCounter
from scheduler.model.databases import POOLER, POOLER_SENTENCE
from scheduler.model.load import LoadSpec
from tests.contract.postgres_fixture import TUPLES, facts_of, spec_of
from tests.hostile_databases import (
    READY,
    answer_queries,
    answer_statements,
    data_row,
    described,
    hostile,
    let_in,
    message,
    read_startup,
    result,
    welcome,
)
from tests.one_load import open_pool

LOAD = LoadSpec("osdb-ir", users=1, tuples=TUPLES)
_KEY = re.compile(rb"K\0\0\0\x0c(.{4})", re.DOTALL)


class Relay:
    """Passes bytes on between a client and a server, the first answers of the server rewritten."""

    def __init__(self, port: int, rewrite) -> None:
        self._port, self._rewrite = port, rewrite

    def __call__(self, client) -> None:
        with socket.create_connection(("127.0.0.1", self._port)) as server:
            threading.Thread(target=self._to_server, args=(client, server), daemon=True).start()
            while chunk := server.recv(65_536):
                client.sendall(self._rewrite(chunk))

    @staticmethod
    def _to_server(client, server: socket.socket) -> None:
        with contextlib.suppress(OSError, EOFError, ValueError):
            while True:
                server.sendall(client.exactly(1))
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)


def other_process(chunk: bytes) -> bytes:
    """Announce another server process, as a pooler does."""
    return _KEY.sub(lambda found: found[0][:5] + struct.pack(">I", 981_466_437), chunk)


def other_connection(chunk: bytes) -> bytes:
    """Announce another connection in MariaDB's greeting (its number follows the version)."""
    if chunk[3] or chunk[4:5] != b"\x0a":
        return chunk
    end = chunk.index(b"\0", 5) + 1
    return chunk[:end] + struct.pack("<I", 981_466_437) + chunk[end + 4 :]


def pool_at(database, port: int):
    url = re.sub(r":[0-9]+/", f":{port}/", database.url)
    return open_pool(spec_of(LOAD), facts_of(), url, {url: database.secrets[database.url]}), url


def test_postgresql_pooler_with_sessions_is_reported_and_leaves_no_lock(database):
    with hostile(Relay(database.server.port, other_process)) as relay:
        pool, _ = pool_at(database, relay.port)
        with contextlib.closing(pool):
            assert pool.preflight()[POOLER] == "in session mode"
            assert POOLER_SENTENCE in pool.differences()
    assert database.value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == 0
    with contextlib.closing(database.pool(LOAD)) as pool:
        assert POOLER not in pool.preflight()
        assert POOLER_SENTENCE not in pool.differences()


def test_mariadb_pooler_with_sessions_is_reported_and_leaves_no_lock(maria):
    with hostile(Relay(maria.server.port, other_connection)) as relay:
        pool, _ = pool_at(maria, relay.port)
        with contextlib.closing(pool):
            assert pool.preflight()[POOLER] == "in session mode"
    assert maria.value(f"SELECT is_free_lock('domtune/{TUPLES}')") == 1
    with contextlib.closing(maria.pool(maria.load("osdb-ir"))) as pool:
        assert POOLER not in pool.preflight()


def one_process(connection) -> None:
    """Serve every connection by process 9038, as pgbouncer in transaction mode does."""
    welcome(connection)
    row = described([b"pg_backend_pid", b"coalesce"], (23, 25)) + data_row([b"9038", b"10.0.0.7:5432"])
    answer_queries(connection, lambda query: row + message(b"C", b"SELECT 1\0") if b"pg_backend_pid" in query else None)


def one_connection(connection) -> None:
    """Serve every connection by connection 9038, as ProxySQL does."""
    let_in(connection)
    answer_statements(
        connection, lambda query: result([[b"9038"]], [b"id"], kind=3) if b"connection_id" in query else None
    )


@pytest.mark.parametrize(("serve", "scheme"), [(one_process, "postgresql"), (one_connection, "mariadb")])
def test_pooler_without_sessions_is_refused_before_anything_is_set(serve, scheme, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    with hostile(serve) as server:
        assert main(["check-database", f"{scheme}://u@127.0.0.1:{server.port}/db", "--json"]) != 0
        heard = bytes(server.heard).lower()
    reported = json.loads(capsys.readouterr().out)
    assert "a connection pooler (pgbouncer, ProxySQL or the like) in transaction mode" in reported["text"]
    assert "Name the server itself" in reported["hint"]
    assert ("It listens at 10.0.0.7:5432." in reported["hint"]) is (scheme == "postgresql")
    assert b"lock" not in heard
    assert b"timeout" not in heard  # of the statements that set up a session


def test_counting_commits_refuses_a_pooler_without_sessions():
    with hostile(one_process) as server:
        with pytest.raises(DatabaseUnsuitable, match="in transaction mode") as refused:
            CommitCounter(f"postgresql://u@127.0.0.1:{server.port}/db")
        assert "10.0.0.7:5432" in refused.value.hint


def test_pooler_that_refuses_options_is_named():
    def serve(connection):
        read_startup(connection)
        connection.sendall(message(b"E", b"SFATAL\0C08P01\0Munsupported startup parameter: options\0\0") + READY)

    with hostile(serve) as server, pytest.raises(DatabaseUnreachable, match="such as pgbouncer") as refused:
        CommitCounter(f"postgresql://u@127.0.0.1:{server.port}/db")
    assert "the server itself" in refused.value.hint
