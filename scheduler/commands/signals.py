"""Signals that end a sweep: each of them is an abort, so that the host is put back."""

import signal
from types import FrameType

from scheduler.run.control import Control


def end_on_signals(control: Control) -> None:
    """Turn Ctrl+C, SIGTERM and a closed terminal into an abort; a second one changes nothing."""

    def handler(number: int, _: FrameType | None) -> None:
        control.abort_soon(f"stopped by {signal.Signals(number).name}")

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handler)
