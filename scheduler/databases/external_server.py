"""A server that somebody else runs on this computer: moved for the sweep, never stopped or reconfigured."""

import os
from collections.abc import Sequence
from typing import ClassVar

import psutil

from scheduler.databases.loopback_ports import LOOPBACK
from scheduler.errors import HostNotUsable, SpecError

HINT = "Give a database on this computer, or leave it out for the one that DomTune brings."


class ExternalServer:
    """The server at an address.

    Args:
        host: Name or address.
        port: Its TCP port.

    Attributes:
        product: What people call it.
        names: What its program's name ends with; vendors prefix it.
    """

    ours = False
    product: str
    names: ClassVar[tuple[str, ...]]

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self.port = port
        self.password = ""
        self.title = f"{self.product} at {host}:{port}"
        self.notices: Sequence[str] = ()
        self._pid = 0

    @property
    def address(self) -> tuple[str, int]:
        """Where the relay reaches it."""
        return self._host, self.port

    @property
    def pid(self) -> int:
        """Process id of the process that starts the others; 0 when that has ended."""
        return self._pid if self._pid and psutil.pid_exists(self._pid) else 0

    def start(self) -> None:
        """Find its process; raises HostNotUsable when it cannot be moved, SpecError when it is none."""
        if os.geteuid() != 0:
            raise HostNotUsable(
                f"user {os.geteuid()} may not move another account's {self.product} into a control group",
                hint="Run DomTune as root, or leave the database out for the one that DomTune brings.",
            )
        self._pid = self.find()
        where = f"{self._host}:{self.port}"
        if not self._pid:
            raise SpecError(
                "load.database",
                f"no server of this computer listens on {where}, and local: divides this computer",
                hint=HINT,
            )
        name = _read_process_name(self._pid)
        if not name.endswith(self.names):
            raise SpecError(
                "load.database",
                f"process {self._pid} ({name}), which listens on {where}, is not {self.product} itself",
                hint="Name the server, not a connection pooler or a container's proxy: that would be divided instead.",
            )

    def find(self) -> int:
        """Return the process that listens there; 0 when there is none on this computer."""
        here = {LOOPBACK, "localhost", "::1", *_own_addresses()}
        if self._host not in here:
            return 0
        for connection in psutil.net_connections("tcp"):
            _, port = tuple(connection.laddr) or ("", 0)
            if connection.status == psutil.CONN_LISTEN and port == self.port and connection.pid:
                return connection.pid
        return 0

    def stop(self) -> None:
        """Leave it alone."""

    def restart_cold(self) -> int:
        """Leave it alone."""
        return 0

    def failure_details(self) -> str:
        """Return nothing: its log is somebody else's."""
        return ""


def _read_process_name(pid: int) -> str:
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return "ended"


def _own_addresses() -> set[str]:
    return {address.address for addresses in psutil.net_if_addrs().values() for address in addresses}
