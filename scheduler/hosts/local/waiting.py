"""Waiting for the kernel, always with a limit."""

import threading
import time
from collections.abc import Callable

_LOOK_S = 0.01


def until(fine: Callable[[], bool], limit_s: float) -> bool:
    """Look every 10 ms until `fine` or the time is over; return whether it became so."""
    deadline_s = time.monotonic() + limit_s
    while not fine():
        if time.monotonic() > deadline_s:
            return False
        threading.Event().wait(_LOOK_S)
    return True
