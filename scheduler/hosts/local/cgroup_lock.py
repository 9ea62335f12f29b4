"""Lock that allows one sweep of a computer at a time, across accounts and chroots.

A lock file in DomTune's own folders would differ between accounts and chroots. All of them see the same folder of
control groups, so flock(2) locks that folder. The kernel releases the lock when the process ends.
"""

import fcntl
import os

from scheduler.errors import HostBusy, HostError
from scheduler.translation import _


class CgroupLock:
    """Lock for creating and changing DomTune's groups below one folder.

    Args:
        folder: Parent folder of DomTune's groups.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._fd: int | None = None

    def take(self) -> None:
        """Acquire the lock, if not acquired already; raise HostBusy, HostError."""
        if self._fd is not None:
            return
        try:
            fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise HostError(
                _("the control group {folder} cannot be opened: {strerror}").format(
                    folder=self._folder, strerror=error.strerror
                )
            ) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(fd)
            raise HostBusy(
                _("another DomTune is changing the control groups below {folder}").format(folder=self._folder),
                hint=_("Perhaps another account's, or one with another DOMTUNE_HOME; wait until it has ended."),
            ) from error
        self._fd = fd

    def release(self) -> None:
        """Release the lock; may be called twice."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
