"""A server that is slow to answer is asked again; one that refuses is not."""

import contextlib
import socket
import struct
import threading

import pytest

from scheduler.databases.postgresql import pg_client
from scheduler.errors import DatabaseUnreachable
from scheduler.loads.osdb import osdb_users
from scheduler.loads.user_messages import BeginOrder

_FULL = b"SFATAL\0C53300\0Msorry, too many clients already\0\0"  # ErrorResponse, PostgreSQL's manual, 55.7


class SlowServer:
    """Accepts connections, says nothing to the first ones, and refuses those after them."""

    def __init__(self, silent: int) -> None:
        self._silent = silent
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.asked: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                client, _ = self._listening.accept()
                self.asked.append(client)
                if len(self.asked) > self._silent:
                    client.recv(4096)
                    client.sendall(b"E" + struct.pack("!i", len(_FULL) + 4) + _FULL)
                    client.close()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for client in self.asked:
            client.close()


@pytest.fixture
def slow():
    servers = []

    def make(silent: int) -> SlowServer:
        servers.append(SlowServer(silent))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


def params(server: SlowServer) -> dict[str, str]:
    # libpq takes no less than 2 s.
    return {
        "host": "127.0.0.1",
        "port": str(server.port),
        "user": "osdb",
        "dbname": "osdb",
        "sslmode": "disable",
        "gssencmode": "disable",
        "connect_timeout": "2",
    }


def test_user_whose_server_is_slow_once_is_not_the_end(slow):
    server = slow(silent=1)
    begin = BeginOrder(params(server), "osdb-ir", 100, 1, 0, ())
    with pytest.raises(DatabaseUnreachable, match="no connection left"):
        osdb_users.open_user(begin)
    assert len(server.asked) == 2


def test_server_that_stays_slow_is_asked_so_often_and_no_more(slow):
    server = slow(silent=9)
    with pytest.raises(DatabaseUnreachable, match="no answer within"):
        pg_client.connect(params(server), "domtune", tries=2)
    assert len(server.asked) == 2


def test_refusal_is_final(slow):
    server = slow(silent=0)
    with pytest.raises(DatabaseUnreachable, match="no connection left"):
        pg_client.connect(params(server), "domtune", tries=3)
    assert len(server.asked) == 1
