"""What the kernel keeps in memory of a server's files: forgotten, and counted where it does not forget.

posix_fadvise(2) with POSIX_FADV_DONTNEED drops a file's clean pages and needs only the right to read it; pages that
wait to be written stay, so they are written first. Which are in memory mincore(2) tells. That is this kernel's memory
alone: what a hypervisor below it, or a disk, keeps is not touched.
"""

import ctypes
import mmap
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from scheduler.databases import safe_open
from scheduler.errors import HostNotUsable

_FAILED = ctypes.c_void_p(-1).value  # MAP_FAILED, mmap(2)
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]


def drop_pages(folder: Path) -> int:
    """Have the kernel forget all plain files below a folder whose server does not run; return the bytes that it keeps.

    No link is followed, and nothing but plain files is opened: the folder belongs to the server's account.

    Raises:
        HostNotUsable: A file cannot be read or written out.
    """
    try:
        return sum(_drop_file_pages(handle) for handle in _plain_files(folder))
    except OSError as error:
        raise HostNotUsable(
            f"the database's files in {folder} could not be dropped from memory: {error}", hint="Is the disk full?"
        ) from error


def measure_cached_bytes(handle: int) -> int:
    """Return how much of an open file the kernel has in memory; raises OSError."""
    size = os.fstat(handle).st_size
    if not size:
        return 0
    address = _libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, handle, 0)
    if address == _FAILED:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    try:
        pages = ctypes.create_string_buffer(-(-size // mmap.PAGESIZE))
        if _libc.mincore(address, size, pages):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    finally:
        _libc.munmap(address, size)
    return mmap.PAGESIZE * sum(page & 1 for page in pages.raw)


def _drop_file_pages(handle: int) -> int:
    os.fdatasync(handle)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    return measure_cached_bytes(handle)


def _plain_files(folder: Path) -> Iterator[int]:
    with safe_open.open_folder(folder) as top:
        for _, _, names, inside in os.fwalk(".", dir_fd=top):
            for name in names:
                if stat.S_ISREG(os.stat(name, dir_fd=inside, follow_symlinks=False).st_mode):
                    with safe_open.open_plain_file(inside, name) as handle:
                        yield handle
