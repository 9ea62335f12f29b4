"""Abort of a run by signals or the end of its windows."""

import signal
import sys
from types import FrameType

from scheduler.run.control import RunControl
from scheduler.run.window_link import WindowLink
from scheduler.translation import _

_MOST = 1000  # bytes of a line, whose content does not matter


def end_on_signals(control: RunControl) -> None:
    """Abort on Ctrl+C, SIGTERM and a closed terminal; a second signal changes nothing."""

    def handler(number: int, _unused: FrameType | None) -> None:
        control.abort_soon(_("stopped by {signals}").format(signals=signal.Signals(number).name))

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handler)


def end_with_windows(control: RunControl, link: WindowLink) -> None:
    """Abort on any line of a window, and when the last window is gone.

    Args:
        control: Control of the run.
        link: Link to the windows.
    """
    link.listen(
        lambda: sys.stdin.readline(_MOST),
        lambda _line: control.abort(_("stopped by the user")),
        lambda: control.abort(_("the window is gone")),
    )
