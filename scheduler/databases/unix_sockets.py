"""Unix sockets of database servers: which process listens there, and whether a stranger could."""

import socket
import stat
import struct
from pathlib import Path

_PEER = struct.Struct("iII")  # process, user, group: SO_PEERCRED in unix(7)
_CONNECT_S = 5.0


def is_closed_folder(folder: Path) -> bool:
    """Return whether a folder is there in which not every account may put a socket."""
    try:
        return not stat.S_IMODE(folder.stat().st_mode) & stat.S_IWOTH
    except OSError:
        return False


def listening_process(path: str) -> int:
    """Return the process that listens at a Unix socket, as the kernel knows it; 0 where none does.

    The kernel keeps the process that called listen(2), and a connection shows it. The connection is closed before the
    server has read a byte.
    """
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(_CONNECT_S)
        try:
            asking.connect(path)
            pid, _, _ = _PEER.unpack(asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
        except OSError:
            return 0
    return pid
