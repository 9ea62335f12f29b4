"""First process of the lab's I/O domain: a relay between clients and database.

    python -m labs.lxc.relay PORT DATABASE_PORT        both on 127.0.0.1

It is the relay of `local:`, and its counters are not read. It ends on SIGTERM: the first process of a container gets
no signal that it does not handle.
"""

import asyncio
import signal
import sys

from scheduler.hosts.local.relay import COUNTERS_BYTES, ClientSide

_BACKLOG = 256  # all users of a load connect at once
_LOOPBACK = "127.0.0.1"


async def serve_relay(port: int, database_port: int) -> None:
    """Listen, and pass on until SIGTERM."""
    loop = asyncio.get_running_loop()
    counters = memoryview(bytearray(COUNTERS_BYTES)).cast("Q")
    server = await loop.create_server(
        lambda: ClientSide(counters, _LOOPBACK, database_port), _LOOPBACK, port, backlog=_BACKLOG
    )
    ended = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    await ended.wait()
    server.close()


if __name__ == "__main__":
    asyncio.run(serve_relay(int(sys.argv[1]), int(sys.argv[2])))
