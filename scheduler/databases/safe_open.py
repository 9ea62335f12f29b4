"""Looking into a folder that belongs to another account: no link is followed, nothing but short plain files is read.

Whoever owns the folder may put anything there at any moment: a link to a file of root's, a pipe that never ends.
"""

import contextlib
import os
import stat
from collections.abc import Generator
from pathlib import Path

_MOST_BYTES = 4096
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


@contextlib.contextmanager
def open_folder(folder: Path, *inside: str) -> Generator[int, None, None]:
    """Yield a descriptor of a folder, or of one below it; `folder` itself must be no link, either. Raises OSError."""
    handle = os.open(folder, _FOLDER)
    try:
        for name in inside:
            below = os.open(name, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = below
        yield handle
    finally:
        os.close(handle)


@contextlib.contextmanager
def open_plain_file(folder: int, name: str) -> Generator[int, None, None]:
    """Yield a descriptor of a plain file, to be read; raises OSError for everything else."""
    try:
        handle = os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "not a plain file", name)
        yield handle
    finally:
        os.close(handle)


def read_short_text(folder: int, name: str) -> str:
    """Return what a short text file holds, its first 4 KiB; raises OSError."""
    with open_plain_file(folder, name) as handle:
        return os.read(handle, _MOST_BYTES).decode("utf-8", "replace")


def read_size_bytes(folder: int, name: str) -> int:
    """Return a plain file's size; raises OSError."""
    with open_plain_file(folder, name) as handle:
        return os.fstat(handle).st_size
