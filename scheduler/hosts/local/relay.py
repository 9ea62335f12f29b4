"""Relay process of the I/O domain, between the clients and the database.

    python -m scheduler.hosts.local.relay COUNTERS_FD HOST PORT [SOCKET]      (PORT 0: HOST is a Unix socket)

The relay listens on 127.0.0.1, or on the Unix socket SOCKET. Then the relay prints `{"port": N}` on standard output (N
is 0 for a Unix socket). The relay ends when standard input ends. A server's Unix socket is never relayed to a TCP port:
every account of the computer could connect there, and the server would take all of them for DomTune.

The counters are eight-byte integers in shared memory: reading them costs the relay no CPU time. Each counter has the
bytes of one direction: from the clients, to the clients, to the server, from the server.
"""

import asyncio
import json
import mmap
import os
import socket
import sys
from typing import cast

from scheduler.translation import _

FROM_CLIENTS, TO_CLIENTS, TO_SERVER, FROM_SERVER = range(4)
COUNTERS_BYTES = 4 * 8

_BACKLOG = 256  # all users of a load connect at once
# A segment of TCP on loopback. All connections are read into the same buffer. asyncio's own reading allocates 256 KiB
# per message. The C library maps and unmaps this memory each time, until its threshold adapts by chance
# (M_MMAP_THRESHOLD in mallopt(3)). The relay's cost per message would then be one of two values, 2.3 times apart.
_BUFFER_BYTES = 64 * 1024


class RelaySide(asyncio.BufferedProtocol):
    """One end of a connection; the peer sends the data that this end receives.

    Args:
        counters: The shared counters.
        received: Index of the counter for data received here.
        sent: Index of the counter for data sent here.
    """

    _buffer = memoryview(bytearray(_BUFFER_BYTES))

    def __init__(self, counters: memoryview, received: int, sent: int) -> None:
        self._counters = counters
        self._received = received
        self._sent = sent
        self._transport: asyncio.Transport | None = None
        self.peer: RelaySide | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send small messages at once, as a virtual network card does."""
        self._transport = cast(asyncio.Transport, transport)
        sock = transport.get_extra_info("socket")
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer for reading."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Forward the data; a copy, since unsent data waits while others are read."""
        self.forward_data(bytes(self._buffer[:nbytes]))

    def forward_data(self, data: bytes) -> None:
        """Count the data and forward it to the peer."""
        self._counters[self._received] += len(data)
        if self.peer is not None:
            self.peer.send(data)

    def send(self, data: bytes) -> None:
        """Send data that the peer received."""
        if self._transport is not None:
            self._counters[self._sent] += len(data)
            self._transport.write(data)

    def hold(self) -> None:
        """Pause reading at this end."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()

    def go_on(self) -> None:
        """Resume reading at this end."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def close(self) -> None:
        """Send the rest of the data, then close."""
        if self._transport is not None:
            self._transport.close()

    def pause_writing(self) -> None:
        """Pause reading at the peer: this end's network accepts no more data."""
        if self.peer is not None:
            self.peer.hold()

    def resume_writing(self) -> None:
        """Resume reading at the peer."""
        if self.peer is not None:
            self.peer.go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        """Close the other end."""
        self._transport = None
        if self.peer is not None:
            self.peer.close()


class ClientSide(RelaySide):
    """Client's end, which reads nothing before the server's end is connected."""

    def __init__(self, counters: memoryview, host: str, port: int) -> None:
        super().__init__(counters, FROM_CLIENTS, TO_CLIENTS)
        self._server = (host, port)
        self._connecting: asyncio.Task[None] | None = None
        self._early = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Connect to the server."""
        super().connection_made(transport)
        self.hold()
        self._connecting = asyncio.get_running_loop().create_task(self._connect_server())

    def forward_data(self, data: bytes) -> None:
        """Forward the data; early data waits for the server's end.

        Python before 3.11.3 (Debian 12 has 3.11.2) continues to read after a pause in `connection_made`.
        """
        super().forward_data(data)
        if self.peer is None:
            self._early += data
            self.hold()

    async def _connect_server(self) -> None:
        loop = asyncio.get_running_loop()
        peer = RelaySide(self._counters, FROM_SERVER, TO_SERVER)
        peer.peer = self
        host, port = self._server
        try:
            if port:
                await loop.create_connection(lambda: peer, host, port)
            else:
                await loop.create_unix_connection(lambda: peer, host)
        except OSError:
            self.close()
            return
        self.peer = peer
        if self._early:
            peer.send(bytes(self._early))
            self._early.clear()
        if self._transport is None:  # the client left in the meantime
            peer.close()
        self.go_on()


async def serve_relay(counters: memoryview, host: str, port: int, listen: str) -> None:
    """Listen, print the port, and forward data until standard input ends.

    Args:
        counters: The shared counters.
        host: Address of the server, or the path of its Unix socket.
        port: TCP port of the server; 0 for a Unix socket.
        listen: Path of the Unix socket to listen on; empty for a free TCP port.
    """
    loop = asyncio.get_running_loop()

    def side() -> ClientSide:
        return ClientSide(counters, host, port)

    if listen:
        server = await loop.create_unix_server(side, listen, backlog=_BACKLOG)
    else:
        server = await loop.create_server(side, "127.0.0.1", 0, backlog=_BACKLOG)
    said = 0 if listen else server.sockets[0].getsockname()[1]
    sys.stdout.write(json.dumps({"port": said}) + "\n")
    sys.stdout.flush()
    ended = loop.create_future()
    loop.add_reader(0, lambda: os.read(0, 4096) or ended.done() or ended.set_result(None))
    await ended
    server.close()


def main() -> None:
    """Run the relay."""
    counters_fd, host, port = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    listen = sys.argv[4] if len(sys.argv) > 4 else ""
    if not port and not listen:
        sys.exit(_("a Unix socket is passed on to a Unix socket only"))
    shared = mmap.mmap(counters_fd, COUNTERS_BYTES)
    asyncio.run(serve_relay(memoryview(shared).cast("Q"), host, port, listen))


if __name__ == "__main__":
    main()
