"""Signals that end a sweep, and whoever has begun it being gone: each is an abort, so that the host is put back."""

import logging
import signal
import threading
from types import FrameType
from typing import TextIO

from scheduler.run.control import RunControl

log = logging.getLogger(__name__)

_MOST = 1000  # of a line: any will do


def end_on_signals(control: RunControl) -> None:
    """Turn Ctrl+C, SIGTERM and a closed terminal into an abort; a second one changes nothing."""

    def handler(number: int, _: FrameType | None) -> None:
        control.abort_soon(f"stopped by {signal.Signals(number).name}")

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handler)


def end_with_input(control: RunControl, lines: TextIO) -> threading.Thread:
    """Turn a line, whatever it says, and the end of the input into an abort, from a thread of its own."""

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
