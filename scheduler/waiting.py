"""Waiting for what the kernel or another program does, always with a limit."""

import threading
import time
from collections.abc import Callable


def until(fine: Callable[[], bool], limit_s: float, every_s: float = 0.01) -> bool:
    """Look until `fine` or the time is over; return whether it became so."""
    deadline_s = time.monotonic() + limit_s
    while not fine():
        if time.monotonic() > deadline_s:
            return False
        threading.Event().wait(every_s)
    return True
