"""Servers that speak PostgreSQL's or MariaDB's protocol up to a point, and then do what no server should."""

import contextlib
import os
import select
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Sequence

Serve = Callable[["Listening"], None]
"""Serves one connection; it is closed when this returns."""

_EARLY = (80877103, 80877104)  # PostgreSQL's requests for TLS and GSSAPI, before the login


class Hostile:
    """Listens on the loopback, and serves each connection in a thread.

    Args:
        serve: What is done with a connection.

    Attributes:
        port: Where it listens.
        heard: Everything that was received.
    """

    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: list[Listening] = []
        self.port: int = self._listening.getsockname()[1]
        self.heard = bytearray()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            listening = Listening(connection, self.heard)
            self._open.append(listening)
            threading.Thread(target=self._handle, args=(listening,), daemon=True).start()

    def _handle(self, connection: "Listening") -> None:
        with contextlib.suppress(OSError, EOFError, ValueError):
            self._serve(connection)
        connection.close()

    def close(self) -> None:
        """Close everything."""
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for each in self._open:
            each.close()


class Listening:
    """A connection of which everything that comes is kept.

    Args:
        connection: The connection.
        heard: Where it is kept.
    """

    def __init__(self, connection: socket.socket, heard: bytearray) -> None:
        self._connection = connection
        self._heard = heard

    def close(self) -> None:
        """Close it, whoever waits for it."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def sendall(self, data: bytes) -> None:
        self._connection.sendall(data)

    def encrypt(self, context: ssl.SSLContext) -> None:
        """Go on encrypted; what is kept is the plain text."""
        self._connection = context.wrap_socket(self._connection, server_side=True)

    def exactly(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            chunk = self._connection.recv(count - len(found))
            if not chunk:
                raise EOFError
            self._heard += chunk
            found += chunk
        return found

    def limit(self, seconds: float) -> None:
        """Wait no longer than that for what comes next."""
        self._connection.settimeout(seconds)

    def silence(self) -> None:
        """Say nothing until the other side goes."""
        with contextlib.suppress(EOFError):
            while True:
                self.exactly(1)

    def drip(self, byte: bytes, every_s: float = 0.2) -> None:
        """Send one byte after the other until the other side goes."""
        while True:
            self.sendall(byte)
            select.select([], [], [], every_s)

    def flood(self, piece: bytes) -> None:
        """Send without end."""
        while True:
            self.sendall(piece)


@contextlib.contextmanager
def hostile(serve: Serve) -> Iterator[Hostile]:
    """Yield a server, closed afterwards."""
    server = Hostile(serve)
    try:
        yield server
    finally:
        server.close()


# MariaDB's protocol: MariaDB's manual, "Client/Server Protocol".

_CAPABILITIES = 0x00000001 | 0x00000200 | 0x00002000 | 0x00008000 | 0x00020000 | 0x00080000 | 0x00000008
OK = b"\0\0\0\x02\0\0\0"
EOF = b"\xfe\0\0\x02\0"


def packet(number: int, payload: bytes) -> bytes:
    return struct.pack("<I", len(payload))[:3] + bytes([number]) + payload


def greeting(plugin: str = "mysql_native_password", version: str = "10.11.6-MariaDB", more: int = 0) -> bytes:
    """Return the greeting of a server that announces a login; `more` are capabilities besides the usual ones."""
    capabilities = _CAPABILITIES | more
    body = b"\x0a" + version.encode("latin1") + b"\0" + struct.pack("<I", 7) + b"12345678\0"
    body += struct.pack("<H", capabilities & 0xFFFF) + b"\x08" + struct.pack("<H", 2)
    body += struct.pack("<H", capabilities >> 16) + b"\x15" + b"\0" * 10 + b"123456789012\0" + plugin.encode() + b"\0"
    return packet(0, body)


def read_packet(connection: Listening) -> tuple[int, bytes]:
    """Return a packet's number and payload."""
    head = connection.exactly(4)
    return head[3], connection.exactly(int.from_bytes(head[:3], "little"))


def let_in(connection: Listening, plugin: str = "mysql_native_password", version: str = "10.11.6-MariaDB") -> None:
    """Greet, and take any login."""
    connection.sendall(greeting(plugin, version))
    number, _ = read_packet(connection)
    connection.sendall(packet(number + 1, OK))


def column(number: int, name: bytes, kind: int = 0xFD) -> bytes:
    texts = b"".join(bytes([len(text)]) + text for text in (b"def", b"", b"", b"", name, name))
    return packet(number, texts + b"\x0c" + struct.pack("<HIBHB", 8, 255, kind, 0, 0) + b"\0\0")


def result(rows: list[list[bytes | None]], names: list[bytes], kind: int = 0xFD) -> bytes:
    """Return the packets that answer a query."""
    found = packet(1, bytes([len(names)]))
    for place, name in enumerate(names, 2):
        found += column(place, name, kind)
    number = len(names) + 2
    found += packet(number, EOF)
    for row in rows:
        number += 1
        cells = b"".join(b"\xfb" if cell is None else bytes([len(cell)]) + cell for cell in row)
        found += packet(number % 256, cells)
    return found + packet((number + 1) % 256, EOF)


def answer_statements(connection: Listening, answer: Callable[[bytes], bytes | None]) -> None:
    """Answer each statement; what `answer` returns None for is taken: "OK"."""
    while True:
        _, payload = read_packet(connection)
        connection.sendall(answer(payload[1:]) or packet(1, OK))


# PostgreSQL's protocol: its manual, "Message Formats".


def message(kind: bytes, body: bytes = b"") -> bytes:
    return kind + struct.pack(">I", len(body) + 4) + body


READY = message(b"Z", b"I")


def read_startup(connection: Listening, tls: ssl.SSLContext | None = None) -> bytes:
    """Return the startup message's parameters; GSSAPI is declined, and TLS where there is no certificate."""
    while True:
        size, code = struct.unpack(">II", connection.exactly(8))
        body = connection.exactly(size - 8)
        if code not in _EARLY:
            return body
        if code == _EARLY[0] and tls is not None:
            connection.sendall(b"S")
            connection.encrypt(tls)
        else:
            connection.sendall(b"N")


def read_message(connection: Listening) -> tuple[bytes, bytes]:
    """Return a message's kind and body."""
    kind = connection.exactly(1)
    return kind, connection.exactly(struct.unpack(">I", connection.exactly(4))[0] - 4)


def welcome(connection: Listening, version: str = "16.2") -> None:
    """Let anybody in without a password."""
    read_startup(connection)
    connection.sendall(welcome_words(version))


def welcome_words(version: str = "16.2") -> bytes:
    """Return what a server says that lets somebody in."""
    said = message(b"R", struct.pack(">I", 0))
    for name, value in {
        "server_version": version,
        "client_encoding": "UTF8",
        "server_encoding": "UTF8",
        "standard_conforming_strings": "on",
        "DateStyle": "ISO, MDY",
        "integer_datetimes": "on",
    }.items():
        said += message(b"S", name.encode() + b"\0" + value.encode() + b"\0")
    return said + message(b"K", struct.pack(">II", os.getpid(), 7)) + READY


def described(names: list[bytes], oids: Sequence[int] = ()) -> bytes:
    """Return the description of rows; columns are text where nothing else is said."""
    kinds = oids or [25] * len(names)
    fields = b"".join(
        name + b"\0" + struct.pack(">IHIhih", 0, 0, oid, -1, -1, 0) for name, oid in zip(names, kinds, strict=True)
    )
    return message(b"T", struct.pack(">H", len(names)) + fields)


def data_row(cells: list[bytes | None]) -> bytes:
    body = struct.pack(">H", len(cells))
    for cell in cells:
        body += struct.pack(">i", -1) if cell is None else struct.pack(">i", len(cell)) + cell
    return message(b"D", body)


def answer_queries(connection: Listening, answer: Callable[[bytes], bytes | None]) -> None:
    """Answer each simple query; what `answer` returns None for is taken: a command without rows."""
    while True:
        kind, body = read_message(connection)
        if kind == b"X":
            return
        query = body.rstrip(b"\0")
        connection.sendall((answer(query) or message(b"C", b"SET\0")) + READY)
