"""Waiting for what the kernel or another program does, always with a limit."""

import contextlib
import threading
import time
from collections.abc import Callable, Generator


def _never() -> bool:
    return False


_abort_asked: Callable[[], bool] = _never


@contextlib.contextmanager
def ended_by(asked: Callable[[], bool]) -> Generator[None, None, None]:
    """Have waits that look at `abort_asked` end once `asked` returns True, as long as the context lasts."""
    global _abort_asked  # noqa: PLW0603 - a process has one sweep, and one way to end its waits
    before, _abort_asked = _abort_asked, asked
    try:
        yield
    finally:
        _abort_asked = before


def abort_asked() -> bool:
    """Return whether somebody wants the sweep of this process to end."""
    return _abort_asked()


def until(fine: Callable[[], bool], limit_s: float, every_s: float = 0.01) -> bool:
    """Look until `fine` or the time is over; return whether it became so."""
    deadline_s = time.monotonic() + limit_s
    while not fine():
        if time.monotonic() > deadline_s:
            return False
        threading.Event().wait(every_s)
    return True
