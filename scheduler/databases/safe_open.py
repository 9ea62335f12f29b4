"""Safe reading in another account's folder: no links, only short plain files.

The owner of the folder may put anything there at any time: a link to a file of root, or an endless pipe.
"""

import contextlib
import os
import stat
from collections.abc import Generator
from pathlib import Path

from scheduler.translation import _

_MOST_BYTES = 4096
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


@contextlib.contextmanager
def open_folder(folder: Path, *inside: str) -> Generator[int, None, None]:
    """Yield a descriptor of a folder, or of one below; raise OSError for links.

    Args:
        folder: The folder, which must not be a link.
        *inside: Names of the folders below, from the outside to the inside.
    """
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
    """Yield a descriptor for reading a plain file; raise OSError for everything else.

    Args:
        folder: Descriptor of the folder.
        name: Name of the file.
    """
    try:
        handle = os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, _("not a plain file"), name)
        yield handle
    finally:
        os.close(handle)


def read_short_text(folder: int, name: str) -> str:
    """Return the first 4 KiB of a text file; raise OSError.

    Args:
        folder: Descriptor of the folder.
        name: Name of the file.
    """
    with open_plain_file(folder, name) as handle:
        return os.read(handle, _MOST_BYTES).decode("utf-8", "replace")


def read_size_bytes(folder: int, name: str) -> int:
    """Return a plain file's size in bytes; raise OSError.

    Args:
        folder: Descriptor of the folder.
        name: Name of the file.
    """
    with open_plain_file(folder, name) as handle:
        return os.fstat(handle).st_size
