"""Removal of a server's files from the kernel's page cache, for cold starts.

posix_fadvise(2) with POSIX_FADV_DONTNEED drops a file's clean pages and needs only the right to read. Dirty pages stay,
so they are written first. mincore(2) shows the pages that stayed. Caches of a hypervisor or a disk are not affected.
"""

import ctypes
import mmap
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from scheduler.databases import safe_open
from scheduler.errors import HostNotUsable
from scheduler.translation import _

_FAILED = ctypes.c_void_p(-1).value  # MAP_FAILED, mmap(2)
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]


def drop_pages(folder: Path) -> int:
    """Drop a folder's plain files from the cache; return the bytes that stayed.

    The folder's server must not run. The folder belongs to the server's account, so no link is followed and only plain
    files are opened.

    Raises:
        HostNotUsable: A file cannot be read or written out.
    """
    try:
        return sum(_drop_file_pages(handle) for handle in _plain_files(folder))
    except OSError as error:
        raise HostNotUsable(
            _("the database's files in {folder} could not be dropped from memory: {error}").format(
                folder=folder, error=error
            ),
            hint=_("Check the free disk space."),
        ) from error


def measure_cached_bytes(handle: int) -> int:
    """Return the bytes of an open file in the page cache; raise OSError."""
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
