"""Safe opening of files and folders that other accounts may have changed.

Files may also be damaged. A FIFO without a writer blocks open(2) forever. A symbolic link leads a write of root to
another file. A record of another account would be obeyed. Therefore this module opens all files of the state folder.
"""

import contextlib
import errno
import os
import stat
from pathlib import Path

from scheduler.translation import _

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOSE = getattr(os, "O_CLOEXEC", 0)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFDIR: _("a folder"),
    stat.S_IFSOCK: _("a socket"),
    stat.S_IFLNK: _("a symbolic link"),
    stat.S_IFCHR: _("a device"),
    stat.S_IFBLK: _("a device"),
}


class UnfitFile(OSError):
    """Error when the path is no regular file, too long, or of another account.

    Attributes:
        why: The reason as a sentence, for example `it is a FIFO, not a regular file`; the same as `strerror`.
    """

    def __init__(self, why: str, path: Path) -> None:
        super().__init__(errno.EINVAL, why, str(path))
        self.why = why


def open_regular(path: Path, flags: int = os.O_RDONLY, mode: int = 0o600, *, follow: bool = False) -> int:
    """Open a regular file and return its descriptor, without waiting on a FIFO.

    Args:
        path: The file.
        flags: Flags of open(2).
        mode: Mode of a new file.
        follow: True to follow a symbolic link, as for a file that the user names.

    Raises:
        UnfitFile: The path is no regular file.
        OSError: The file cannot be opened.
    """
    flags |= _NO_WAIT | _CLOSE | (0 if follow else _NO_FOLLOW)
    try:
        fd = os.open(path, flags, mode)
    except OSError as error:
        _refuse_kind(_stat_or_none(path, follow=follow), path, error)
        raise
    try:
        _refuse_kind(os.fstat(fd), path, None)
    except UnfitFile:
        os.close(fd)
        raise
    return fd


def read_regular(path: Path, most_bytes: int, *, ours: bool = False) -> bytes:
    """Return the content of a regular file.

    Args:
        path: The file.
        most_bytes: Largest length, bytes.
        ours: True to refuse a file that accounts other than this one and root could have written.

    Raises:
        UnfitFile: The path is no regular file, too long, or of another account.
        OSError: The file cannot be read.
    """
    with os.fdopen(open_regular(path), "rb") as file:
        if ours:
            refuse_foreign(os.fstat(file.fileno()), path)
        body = file.read(most_bytes + 1)
    if len(body) > most_bytes:
        raise UnfitFile(_("the file is longer than {most_bytes} bytes").format(most_bytes=most_bytes), path)
    return body


def path_exists(path: Path) -> bool:
    """Return True when a file or folder exists for this account; never raise an error.

    `Path.exists`, `is_dir` and `is_file` raise PermissionError up to Python 3.13 if a folder on the path is another
    account's.
    """
    return os.access(path, os.F_OK)


def make_private_folder(path: Path) -> None:
    """Make a folder that only this account can enter, or close an existing one.

    Missing parent folders are made with mode 755, reduced by the umask.

    Raises:
        UnfitFile: The folder is another account's.
        OSError: The folder cannot be made, or the path is no folder.
    """
    for above in [folder for folder in reversed(path.parents) if not folder.exists()]:
        above.mkdir(mode=0o755, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    secure_folder(path)


def secure_folder(path: Path) -> None:
    """Close a folder of this account to others; refuse a folder of others.

    Raises:
        UnfitFile: Another account owns the folder or may write to it.
        OSError: The folder cannot be opened.
    """
    link = path.lstat()
    is_link = stat.S_ISLNK(link.st_mode)
    if is_link:
        refuse_foreign(link, path)  # otherwise the owner of the link could have any folder of this account closed
    if not hasattr(os, "geteuid"):
        return
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _CLOSE | (0 if is_link else _NO_FOLLOW))
    try:
        status = os.fstat(fd)
        if status.st_uid == os.geteuid() and status.st_mode & _OTHERS:
            with contextlib.suppress(OSError):  # a file system without modes; the check below judges its mode
                os.fchmod(fd, stat.S_IMODE(status.st_mode) & ~_OTHERS)
            status = os.fstat(fd)
        refuse_foreign(status, path)
    finally:
        os.close(fd)


def refuse_foreign(status: os.stat_result, path: Path) -> None:
    """Raise UnfitFile when another account owns the file or may write to it.

    Root does not count as another account.

    Args:
        status: Status of the file or folder.
        path: Its path, for the error.
    """
    refuse_owner(status, path)
    if hasattr(os, "geteuid") and status.st_mode & _OTHERS_WRITE and not stat.S_ISLNK(status.st_mode):
        raise UnfitFile(
            _("others may write to it (mode {st_mode:04o})").format(st_mode=stat.S_IMODE(status.st_mode)), path
        )


def refuse_owner(status: os.stat_result, path: Path) -> None:
    """Raise UnfitFile when an account other than this one and root owns the file.

    Args:
        status: Status of the file or folder.
        path: Its path, for the error.
    """
    if hasattr(os, "geteuid") and status.st_uid not in (os.geteuid(), 0):
        raise UnfitFile(
            _("it belongs to user {st_uid}, not to user {geteuid}").format(st_uid=status.st_uid, geteuid=os.geteuid()),
            path,
        )


def refuse_foreign_above(path: Path) -> None:
    """Refuse a parent folder in which another account could replace this folder.

    Raises:
        UnfitFile: Another account could replace the folder.
        OSError: The parent folder cannot be read.
    """
    status = path.parent.stat()
    if status.st_mode & stat.S_ISVTX and status.st_uid == 0:
        return  # as in /tmp, where no account may rename folders of others
    refuse_foreign(status, path.parent)


def refuse_foreign_way(path: Path) -> None:
    """As root, refuse a path on which another account could replace a folder.

    That account could otherwise have root give away or close any folder of the computer. Members of a group that root
    allows to write are trusted.

    Raises:
        UnfitFile: Another account could replace a folder on the path.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return
    here = path.absolute()
    for folder in dict.fromkeys([*here.parents, *(here.parent.resolve() / "x").parents]):
        status = _stat_or_none(folder, follow=False)
        if status is None:  # DomTune makes this folder later
            continue
        refuse_owner(status, folder)
        open_to_all = status.st_mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH
        if open_to_all and not stat.S_ISLNK(status.st_mode):
            raise UnfitFile(
                _("every account may write to the folder (mode {st_mode:04o})").format(
                    st_mode=stat.S_IMODE(status.st_mode)
                ),
                folder,
            )


def _stat_or_none(path: Path, *, follow: bool) -> os.stat_result | None:
    try:
        return path.stat(follow_symlinks=follow)
    except OSError:
        return None


def _refuse_kind(status: os.stat_result | None, path: Path, cause: OSError | None) -> None:
    if status is not None and not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), _("something else"))
        raise UnfitFile(_("the path is {kind}, not a regular file").format(kind=kind), path) from cause
