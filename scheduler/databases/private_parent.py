"""Folder above a server's data, which only this account may change.

As root, DomTune writes nothing into the data folder, which belongs to the server's account: a link there could lead to
any file of the computer.
"""

import contextlib
import os
import stat
from pathlib import Path

from scheduler.databases.account import ServerAccount, find_barrier
from scheduler.databases.safe_open import open_plain_file
from scheduler.errors import HostNotUsable
from scheduler.files import UnfitFile, refuse_foreign_way
from scheduler.translation import _

_PASSWORD = "password"
_LOG = "server.log"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_PASSED = 0o710  # the server's account may pass through to its data, without reading the folder
_MOST_BYTES = 200
_HINT = _("As root, set DOMTUNE_HOME to a folder that only root can change, or unset it.")


class PrivateParent:
    """One folder above a server's data.

    Args:
        path: Path of the folder, which may not exist yet.
        account: Account of the server.
    """

    def __init__(self, path: Path, account: ServerAccount) -> None:
        self._path = path
        self._account = account

    def make(self) -> None:
        """Create the folder or take its ownership.

        Raises:
            HostNotUsable: The folder is not safe, or the server's account cannot enter.
        """
        path = self._path
        try:
            refuse_foreign_way(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir(mode=0o700, exist_ok=True)
            self._take_ownership()
        except UnfitFile as error:
            raise HostNotUsable(
                _("the database's folder {path} is not safe: {filename}: {why}").format(
                    path=path, filename=error.filename, why=error.why
                ),
                hint=_HINT,
            ) from error
        except OSError as error:
            raise HostNotUsable(
                _("the database's folder {path} cannot be made: {error}").format(path=path, error=error)
            ) from error
        closed = find_barrier(path, self._account)
        if closed is not None:
            raise HostNotUsable(
                _("the account {account}, which runs the database, cannot enter {closed}").format(
                    account=self._account.name, closed=closed
                ),
                hint=_("Set DOMTUNE_HOME to a folder that every account can enter (mode 0755), or unset it."),
            )

    def make_data(self, name: str) -> Path:
        """Create an empty folder that belongs to the server's account; raise OSError."""
        os.mkdir(name, 0o700, dir_fd=(folder := self._open_folder()))
        try:
            if os.geteuid() == 0:
                os.chown(name, self._account.uid, self._account.gid, dir_fd=folder, follow_symlinks=False)
        finally:
            os.close(folder)
        return self._path / name

    @property
    def password(self) -> str:
        """The stored password; raises OSError for a missing or foreign file."""
        folder = self._open_folder()
        try:
            with open_plain_file(folder, _PASSWORD) as handle:
                return os.read(handle, _MOST_BYTES).decode("ascii", "replace").strip()
        finally:
            os.close(folder)

    def keep_password(self, password: str) -> None:
        """Store a new password, readable by this account only; raise OSError."""
        folder = self._open_folder()
        try:
            fresh = f".{_PASSWORD}.new"
            _remove_file(fresh, folder)
            with os.fdopen(os.open(fresh, _NEW_FILE, 0o600, dir_fd=folder), "w", encoding="ascii") as file:
                file.write(password + "\n")
            os.rename(fresh, _PASSWORD, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            os.close(folder)

    def begin_log(self) -> int:
        """Rename the log of the last start; return a descriptor of a new log.

        Raises:
            OSError: The log cannot be written.
        """
        folder = self._open_folder()
        try:
            with contextlib.suppress(FileNotFoundError):
                os.replace(_LOG, f"{_LOG}.old", src_dir_fd=folder, dst_dir_fd=folder)
            return os.open(_LOG, _NEW_FILE | os.O_APPEND, 0o600, dir_fd=folder)
        finally:
            os.close(folder)

    def _open_folder(self) -> int:
        return os.open(self._path, os.O_RDONLY | os.O_DIRECTORY)

    def _take_ownership(self) -> None:
        """Take ownership of a folder that belongs to the server's account.

        Older versions created such folders. The stored password is taken over, too.
        """
        if os.geteuid() != 0:
            return
        folder = self._open_folder()
        try:
            owner = os.fstat(folder).st_uid
            if owner not in {0, self._account.uid}:
                raise OSError(0, _("it belongs to user id {owner}").format(owner=owner), str(self._path))
            os.fchown(folder, 0, self._account.gid)  # first: then no other account can change the contents
            os.fchmod(folder, _PASSED)
            self._take_over_password(folder)
        finally:
            os.close(folder)

    def _take_over_password(self, folder: int) -> None:
        try:
            with open_plain_file(folder, _PASSWORD) as handle:
                facts = os.fstat(handle)
                found = os.read(handle, _MOST_BYTES).decode("ascii", "replace").strip()
        except FileNotFoundError:
            return
        except OSError:  # a link or an unreadable file, not written by DomTune
            _remove_file(_PASSWORD, folder)
            return
        if facts.st_uid == 0 and not facts.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            return
        if facts.st_uid == self._account.uid and facts.st_nlink == 1:
            self.keep_password(found)
        else:
            _remove_file(_PASSWORD, folder)


def _remove_file(name: str, folder: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
