"""Identity of a computer, and its CPUs.

Workers run this module, too. So it must not need Dask.
"""

import os
import socket
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")


def describe_computer() -> tuple[str, int]:
    """Return an identity of this computer's kernel, and this process's number of CPUs.

    The identity changes at each boot.
    """
    try:
        computer = _BOOT.read_text().strip()
    except OSError:
        computer = socket.gethostname()
    return computer, len(os.sched_getaffinity(0))
