"""The state of a doubled Xen host as a file that several processes change in turn.

Every `xl` that a test runs is an interpreter of its own, and what it imports is most of what it costs: so nothing but
built-in modules here, and the interpreter's own way to write values down.
"""

import fcntl
import marshal
import os

_FLAT = 2  # marshal's last version in which a list that occurs twice is written twice


class Locked:
    """The state under its lock; what it is in the end is kept.

    Args:
        path: The file.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> dict:
        self._file = os.open(self._path, os.O_RDWR)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        self._state = marshal.loads(_all_of(self._file))
        return self._state

    def __exit__(self, *_) -> None:
        # A program may be killed at any moment: the new state is there at once, and what is behind it says nothing.
        data = marshal.dumps(self._state, _FLAT)
        os.pwrite(self._file, data, 0)
        os.ftruncate(self._file, len(data))
        os.close(self._file)


def make(path: str, state: dict) -> None:
    """Write a first state."""
    with open(path, "wb") as file:  # noqa: PTH123 -- as above
        file.write(marshal.dumps(state, _FLAT))


def read(path: str) -> dict:
    """Return the state as it is between two changes."""
    file = os.open(path, os.O_RDONLY)
    fcntl.flock(file, fcntl.LOCK_SH)
    try:
        return marshal.loads(_all_of(file))
    finally:
        os.close(file)


def _all_of(file: int) -> bytes:
    return os.pread(file, os.fstat(file).st_size, 0)
