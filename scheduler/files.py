"""Files that damage, or another account, may have put in our way: opened without waiting, following or believing.

A FIFO that nobody writes to blocks open(2) for ever, a symbolic link leads a write of root's elsewhere, and a record
that another account wrote would be obeyed. What is kept in the state folder is opened here, therefore.
"""

import contextlib
import errno
import os
import stat
from pathlib import Path

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOSE = getattr(os, "O_CLOEXEC", 0)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFDIR: "a folder",
    stat.S_IFSOCK: "a socket",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class UnfitFile(OSError):
    """It is there, but is not what we keep there: no regular file, too long, or another account's.

    Attributes:
        why: Which of them, as a sentence: `it is a FIFO, not a regular file`. `strerror` says the same.
    """

    def __init__(self, why: str, path: Path) -> None:
        super().__init__(errno.EINVAL, why, str(path))
        self.why = why


def open_regular(path: Path, flags: int = os.O_RDONLY, mode: int = 0o600, *, follow: bool = False) -> int:
    """Open a regular file and return its descriptor; never waits for the other end of a FIFO.

    Args:
        path: The file.
        flags: As for open(2).
        mode: Of a file that is made.
        follow: Follow a symbolic link, as for a file that a person names.

    Raises:
        UnfitFile: It is something else.
        OSError: It cannot be opened.
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
    """Return what a regular file holds.

    Args:
        path: The file.
        most_bytes: It may be this long, not longer.
        ours: Refuse what another account than ours or root's could have written.

    Raises:
        UnfitFile: It is something else, longer, or another account's.
        OSError: It cannot be read.
    """
    with os.fdopen(open_regular(path), "rb") as file:
        if ours:
            refuse_foreign(os.fstat(file.fileno()), path)
        body = file.read(most_bytes + 1)
    if len(body) > most_bytes:
        raise UnfitFile(f"it is longer than {most_bytes} bytes", path)
    return body


def path_exists(path: Path) -> bool:
    """Return whether a file or folder is there for this account; never raises.

    `Path.exists`, `is_dir` and `is_file` raise PermissionError up to Python 3.13 if a folder on the way is another
    account's.
    """
    return os.access(path, os.F_OK)


def make_private_folder(path: Path) -> None:
    """Make a folder that only we can enter; one of ours that lets others in is closed to them.

    Folders above it that are missing are made, too, for others to enter at most, whatever the umask.

    Raises:
        UnfitFile: It is another account's.
        OSError: It cannot be made, or is no folder.
    """
    for above in [folder for folder in reversed(path.parents) if not folder.exists()]:
        above.mkdir(mode=0o755, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    secure_folder(path)


def secure_folder(path: Path) -> None:
    """Close a folder of ours to others, and refuse one that others own or could write to; raises UnfitFile, OSError."""
    link = path.lstat()
    is_link = stat.S_ISLNK(link.st_mode)
    if is_link:
        refuse_foreign(link, path)  # else whoever made it could have any folder of ours closed
    if not hasattr(os, "geteuid"):
        return
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _CLOSE | (0 if is_link else _NO_FOLLOW))
    try:
        status = os.fstat(fd)
        if status.st_uid == os.geteuid() and status.st_mode & _OTHERS:
            with contextlib.suppress(OSError):  # a file system without modes: what it shows is judged below
                os.fchmod(fd, stat.S_IMODE(status.st_mode) & ~_OTHERS)
            status = os.fstat(fd)
        refuse_foreign(status, path)
    finally:
        os.close(fd)


def refuse_foreign(status: os.stat_result, path: Path) -> None:
    """Refuse what another account than ours or root's owns or may write to; raises UnfitFile."""
    refuse_owner(status, path)
    if hasattr(os, "geteuid") and status.st_mode & _OTHERS_WRITE and not stat.S_ISLNK(status.st_mode):
        raise UnfitFile(f"others may write to it (mode {stat.S_IMODE(status.st_mode):04o})", path)


def refuse_owner(status: os.stat_result, path: Path) -> None:
    """Refuse what another account than ours or root's owns; raises UnfitFile."""
    if hasattr(os, "geteuid") and status.st_uid not in (os.geteuid(), 0):
        raise UnfitFile(f"it belongs to user {status.st_uid}, not to user {os.geteuid()}", path)


def refuse_foreign_above(path: Path) -> None:
    """Refuse a place in which another account could put a folder in this one's stead; raises UnfitFile, OSError."""
    status = path.parent.stat()
    if status.st_mode & stat.S_ISVTX and status.st_uid == 0:
        return  # as in /tmp: nobody renames there what is another's
    refuse_foreign(status, path.parent)


def refuse_foreign_way(path: Path) -> None:
    """As root, refuse a path on which another account could put something else in a folder's stead; raises UnfitFile.

    That account would have us give to others, or close to others, any folder of the computer. A member of a group that
    root lets write somewhere is root's affair.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return
    here = path.absolute()
    for folder in dict.fromkeys([*here.parents, *(here.parent.resolve() / "x").parents]):
        status = _stat_or_none(folder, follow=False)
        if status is None:  # we are to make it
            continue
        refuse_owner(status, folder)
        open_to_all = status.st_mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH
        if open_to_all and not stat.S_ISLNK(status.st_mode):
            raise UnfitFile(f"everybody may write to it (mode {stat.S_IMODE(status.st_mode):04o})", folder)


def _stat_or_none(path: Path, *, follow: bool) -> os.stat_result | None:
    try:
        return path.stat(follow_symlinks=follow)
    except OSError:
        return None


def _refuse_kind(status: os.stat_result | None, path: Path, cause: OSError | None) -> None:
    if status is not None and not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise UnfitFile(f"it is {kind}, not a regular file", path) from cause
