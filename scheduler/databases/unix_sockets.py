"""Unix sockets of database servers: listening process and folder safety."""

import socket
import stat
import struct
from pathlib import Path

_PEER = struct.Struct("iII")  # process, user, group: SO_PEERCRED in unix(7)
_CONNECT_S = 5.0


def is_closed_folder(folder: Path) -> bool:
    """Return True for a folder in which not every account may create a socket."""
    try:
        return not stat.S_IMODE(folder.stat().st_mode) & stat.S_IWOTH
    except OSError:
        return False


def listening_process(path: str) -> int:
    """Return the process that listens at a Unix socket; 0 for none.

    The kernel stores the process that called listen(2), and a connection shows that process. The connection is closed
    before the server has read a byte.
    """
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(_CONNECT_S)
        try:
            asking.connect(path)
            pid, _, _ = _PEER.unpack(asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
        except OSError:
            return 0
    return pid
