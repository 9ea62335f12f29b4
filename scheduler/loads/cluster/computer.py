"""Identity of a computer, and its CPUs; asked here and on the workers, where it must not need Dask."""

import os
import socket
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")


def describe_computer() -> tuple[str, int]:
    """Return an identity of this computer (of its kernel, since it was booted), and the CPUs of this process."""
    try:
        computer = _BOOT.read_text().strip()
    except OSError:
        computer = socket.gethostname()
    return computer, len(os.sched_getaffinity(0))
