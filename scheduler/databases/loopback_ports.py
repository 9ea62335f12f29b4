"""Free ports on the loopback for built-in servers."""

import contextlib
import socket

LOOPBACK = "127.0.0.1"


def find_free_port(wanted: int) -> int:
    """Return the wanted port if it is free, else another free port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the servers do
        with contextlib.suppress(OSError):
            probe.bind((LOOPBACK, wanted))
            return probe.getsockname()[1]
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]
