"""Abort of a run by signals or the end of its parent."""

import logging
import signal
import threading
from types import FrameType
from typing import TextIO

from scheduler.run.control import RunControl

log = logging.getLogger(__name__)

_MOST = 1000  # bytes of a line, whose content does not matter


def end_on_signals(control: RunControl) -> None:
    """Abort on Ctrl+C, SIGTERM and a closed terminal; a second signal changes nothing."""

    def handler(number: int, _: FrameType | None) -> None:
        control.abort_soon(f"stopped by {signal.Signals(number).name}")

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handler)


def end_with_input(control: RunControl, lines: TextIO) -> threading.Thread:
    """Abort on any line and on the end of the input, in a new thread.

    Args:
        control: Control of the run.
        lines: The input.
    """

    def listen() -> None:
        reason = "the window is gone"
        try:
            if lines.readline(_MOST):
                reason = "stopped by the user"
        except (OSError, ValueError):
            log.info("standard input cannot be read any more")
        control.abort(reason)

    thread = threading.Thread(target=listen, name="input", daemon=True)
    thread.start()
    return thread
