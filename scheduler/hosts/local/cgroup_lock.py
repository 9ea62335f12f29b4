"""One sweep of a computer at a time, whoever runs it and wherever they keep their records.

A lock on a file below our own folders would be another one for each account and chroot. All of them see the same
folder of control groups, so that is what is locked (flock(2)); the kernel lets go when the process ends.
"""

import fcntl
import os

from scheduler.errors import HostBusy, HostError


class CgroupLock:
    """The right to make and change our groups below one folder.

    Args:
        folder: The folder below which our groups are.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._fd: int | None = None

    def take(self) -> None:
        """Take it, if it is not ours already; raises HostBusy, HostError."""
        if self._fd is not None:
            return
        try:
            fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise HostError(f"the control group {self._folder} cannot be opened: {error.strerror}") from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(fd)
            raise HostBusy(
                f"another DomTune is changing the control groups below {self._folder}",
                hint="Perhaps another account's, or one with another DOMTUNE_HOME; wait until it has ended.",
            ) from error
        self._fd = fd

    def release(self) -> None:
        """Let go; may be called twice."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
