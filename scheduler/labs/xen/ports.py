"""Ports on this computer's loopback that lead into the lab."""

import socket
from collections.abc import Mapping

WANTED: Mapping[str, int] = {"dom0": 10022, "guest": 10023, "postgresql": 15432}
"""Taken where they are free, so that they can be learnt by heart."""

INSIDE: Mapping[str, tuple[str, int]] = {
    "dom0": ("10.0.2.15", 22),
    "guest": ("10.0.2.16", 22),
    "postgresql": ("10.0.2.16", 5432),
}
"""Where each of them leads: addresses that packaging/lab/xen gives to Dom0 and guest."""


def choose(wanted: Mapping[str, int] = WANTED) -> dict[str, int]:
    """Return a free port for each name: the wanted one, or any when something listens there."""
    found: dict[str, int] = {}
    held: list[socket.socket] = []  # until all are chosen, so that none is given twice
    try:
        for name, port in wanted.items():
            listener = _listener(port) or _listener(0)
            if listener is None:
                raise OSError(f"no free port on 127.0.0.1 for {name}")
            held.append(listener)
            found[name] = listener.getsockname()[1]
    finally:
        for listener in held:
            listener.close()
    return found


def _listener(port: int) -> socket.socket | None:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(1)
    except OSError:
        listener.close()
        return None
    return listener
