"""External server on this computer: moved for the sweep, never stopped or changed."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import psutil

from scheduler.databases.loopback_ports import LOOPBACK
from scheduler.databases.unix_sockets import is_closed_folder, listening_process
from scheduler.errors import HostNotUsable, SpecError
from scheduler.translation import _

HINT = _("Give a database on this computer, or leave it out for the one that DomTune brings.")


class ExternalServer:
    """External server at an address of this computer.

    Args:
        host: Name or address, or the path of the Unix socket.
        port: TCP port; 0 for a Unix socket.

    Attributes:
        product: Product name.
        names: Endings of the program's name; vendors add prefixes.
    """

    ours = False
    product: str
    names: ClassVar[tuple[str, ...]]

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self.port = port
        self.password = ""
        self._where = f"{host}:{port}" if port else host
        self.title = _("{product} at {where}").format(product=self.product, where=self._where)
        self.notices: Sequence[str] = ()
        self._pid = 0

    @property
    def address(self) -> tuple[str, int]:
        """Address for the relay: host and port, or the path of the socket and 0."""
        return self._host, self.port

    @property
    def pid(self) -> int:
        """Process id of the parent of the server's processes; 0 after its end."""
        return self._pid if self._pid and psutil.pid_exists(self._pid) else 0

    def start(self) -> None:
        """Find the server's process.

        Raises:
            HostNotUsable: This account may not move the process.
            SpecError: No server listens there, or its process is of another kind.
        """
        if os.geteuid() != 0:
            raise HostNotUsable(
                _("user {geteuid} may not move another account's {product} into a control group").format(
                    geteuid=os.geteuid(), product=self.product
                ),
                hint=_("Run DomTune as root, or leave the database out for the one that DomTune brings."),
            )
        where = self._where
        self._pid = self.find()
        if not self._pid:
            raise SpecError(
                "load.database",
                _("no server of this computer listens on {where}, and local: divides this computer").format(
                    where=where
                ),
                hint=HINT,
            )
        name = _read_process_name(self._pid)
        if not name.endswith(self.names):
            raise SpecError(
                "load.database",
                _("process {pid} ({name}), which listens on {where}, is not the {product} server").format(
                    pid=self._pid, name=name, where=where, product=self.product
                ),
                hint=_(
                    "Name the server, not a connection pooler or a container's proxy: that would be divided instead."
                ),
            )
        if not self.port and not is_closed_folder(Path(where).parent):
            raise SpecError(
                "load.database",
                _("every account may put a socket into {parent}, and could so ask for the password").format(
                    parent=Path(where).parent
                ),
                hint=_("Give the address and port of the server, or let the server listen in its own folder."),
            )

    def find(self) -> int:
        """Return the process that listens at the address; 0 for none on this computer."""
        if not self.port:
            return listening_process(self._host)
        here = {LOOPBACK, "localhost", "::1", *_own_addresses()}
        if self._host not in here:
            return 0
        for connection in psutil.net_connections("tcp"):
            _, port = tuple(connection.laddr) or ("", 0)
            if connection.status == psutil.CONN_LISTEN and port == self.port and connection.pid:
                return connection.pid
        return 0

    def stop(self) -> None:
        """Do nothing: an external server keeps running."""

    def restart_cold(self) -> int:
        """Do nothing: an external server keeps running."""
        return 0

    def failure_details(self) -> str:
        """Return an empty text: the log belongs to others."""
        return ""


def _read_process_name(pid: int) -> str:
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return "ended"


def _own_addresses() -> set[str]:
    return {address.address for addresses in psutil.net_if_addrs().values() for address in addresses}
