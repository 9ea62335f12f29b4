"""One window per store: a second start hands its files to the open window.

The socket is in a private folder next to the store, so only the same account with the same store finds it. The open
window takes at most one path per line, and checks its form.
"""

import contextlib
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QSocketNotifier, Qt, Signal

from scheduler import places
from scheduler.background_runs import short_socket_path
from scheduler.files import make_private_folder, refuse_foreign
from scheduler.model.run_paths import is_run_path

_NAME = "window.sock"
_MOST_BYTES = 64_000
_ANSWER_S = 2.0
_TAKEN = b"taken\n"


def socket_path() -> Path:
    """Return the path of the open window's socket, which may not exist."""
    return places.state_dir() / "window" / _NAME


def hand_over(files: Sequence[str]) -> bool:
    """Give files to the open window of this store, which comes to the front.

    Args:
        files: Paths of run files; empty to raise the window only.

    Returns:
        False if no window is open, or if it does not answer within 2 s.
    """
    path, message = socket_path(), "".join(f"{Path(file).absolute()}\n" for file in files).encode() + b"\n"
    if not hasattr(socket, "AF_UNIX") or len(message) > _MOST_BYTES:
        return False
    try:
        refuse_foreign(path.parent.lstat(), path.parent)
        with socket.socket(socket.AF_UNIX) as asking, short_socket_path(path) as short:
            asking.settimeout(_ANSWER_S)
            asking.connect(short)
            asking.sendall(message)
            return asking.recv(len(_TAKEN)) == _TAKEN
    except OSError:
        return False


def read_message(data: bytes) -> list[Path] | None:
    """Return the paths of a message; None for a message of another form.

    Args:
        data: One absolute path of a run file per line, then an empty line.
    """
    try:
        *lines, empty, rest = data.decode().split("\n")
    except ValueError:
        return None
    good = all(line.isprintable() and line.startswith("/") and is_run_path(line) for line in lines)
    return [Path(line) for line in lines] if good and not empty and not rest else None


class SingleWindow(QObject):
    """Socket of the open window.

    Args:
        parent: Qt's parent.

    Signals:
        asked: Another start wants the window; the paths to open, if any.
    """

    asked = Signal(list)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._listening: socket.socket | None = None
        self._path = socket_path()
        with contextlib.suppress(OSError):  # without a socket, a second start opens a second window
            self._listening = _listen(self._path)
        if self._listening is not None:
            notifier = QSocketNotifier(self._listening.fileno(), QSocketNotifier.Type.Read, self)
            notifier.activated.connect(self._accept, Qt.ConnectionType.DirectConnection)

    def close(self) -> None:
        """Stop taking files; the next start opens a window."""
        if self._listening is not None:
            self._listening.close()
            self._listening = None
            self._path.unlink(missing_ok=True)

    def _accept(self) -> None:
        if self._listening is None:
            return
        with contextlib.suppress(OSError):
            connection, _ = self._listening.accept()
            connection.setblocking(False)
            _Visitor(connection, self, self.asked.emit)


class _Visitor(QObject):
    """Connection of another start, until its message is complete."""

    def __init__(self, connection: socket.socket, parent: QObject, then: Callable[[list[Path]], None]) -> None:
        super().__init__(parent)
        self._connection, self._then, self._data = connection, then, b""
        self._notifier = QSocketNotifier(connection.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    def _read(self) -> None:
        try:
            piece = self._connection.recv(_MOST_BYTES)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        self._data += piece
        if piece and len(self._data) <= _MOST_BYTES and not self._data.endswith(b"\n\n") and self._data != b"\n":
            return
        paths = read_message(self._data) if len(self._data) <= _MOST_BYTES else None
        if paths is not None:
            with contextlib.suppress(OSError):
                self._connection.send(_TAKEN)
            self._then(paths)
        self._notifier.setEnabled(False)
        self._connection.close()
        self.deleteLater()


def _remove_stale(path: Path, short: str) -> None:
    """Delete the socket of a window that was killed.

    Args:
        path: The socket.
        short: Another path of the socket, short enough for the system.

    Raises:
        FileExistsError: Another window answers.
    """
    with socket.socket(socket.AF_UNIX) as asking:
        if asking.connect_ex(short) == 0:
            raise FileExistsError(path)
    path.unlink(missing_ok=True)


def _listen(path: Path) -> socket.socket:
    """Return the listening socket; replace the socket of a window that was killed.

    Raises:
        OSError: The socket cannot be made, or another window has it.
    """
    make_private_folder(path.parent)
    made = socket.socket(socket.AF_UNIX)
    try:
        with short_socket_path(path) as short:
            _remove_stale(path, short)
            made.bind(short)
        path.chmod(0o600)
        made.listen()
        made.setblocking(False)
    except OSError:
        made.close()
        raise
    return made
