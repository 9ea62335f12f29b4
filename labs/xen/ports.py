"""Ports on this computer's loopback that lead into the lab."""

import socket
from collections.abc import Mapping

WANTED: Mapping[str, int] = {"dom0": 10022, "guest": 10023, "postgresql": 15432}
"""Taken where they are free, so that they can be learnt by heart."""

SECOND: Mapping[str, int] = {"guest-2": 10024, "postgresql-2": 15433}
"""Beside them where there is a second guest."""

INSIDE: Mapping[str, tuple[str, int]] = {
    "dom0": ("10.0.2.15", 22),
    "guest": ("10.0.2.16", 22),
    "postgresql": ("10.0.2.16", 5432),
    "guest-2": ("10.0.2.17", 22),
    "postgresql-2": ("10.0.2.17", 5432),
}
"""Where each of them leads: addresses that packaging/lab/xen gives to Dom0 and guest, and Dom0 to the second guest."""


def wanted_ports(guests: int = 1) -> dict[str, int]:
    """Return the wanted ports of a lab with this number of guests."""
    return {**WANTED, **(SECOND if guests > 1 else {})}


def choose_ports(wanted: Mapping[str, int] = WANTED) -> dict[str, int]:
    """Return a free port for each name: the wanted one, or any other."""
    found: dict[str, int] = {}
    held: list[socket.socket] = []  # until all are chosen, so that none is given twice
    try:
        for name, port in wanted.items():
            listener = _open_listener(port) or _open_listener(0)
            if listener is None:
                raise OSError(f"no free port on 127.0.0.1 for {name}")
            held.append(listener)
            found[name] = listener.getsockname()[1]
    finally:
        for listener in held:
            listener.close()
    return found


def _open_listener(port: int) -> socket.socket | None:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(1)
    except OSError:
        listener.close()
        return None
    return listener
