"""A service of systemd's (sd_notify(3)): it is told that we are ready, and of every finished window; nothing elsewhere.

Its watchdog ends who is stuck; `ExecStopPost=domtune restore` then puts the host back, whatever was killed with it.
"""

import contextlib
import os
import socket

_VARIABLE = "NOTIFY_SOCKET"


class SystemdNotifier:
    """Tells systemd, where it asked to be told; never raises, never waits."""

    def __init__(self) -> None:
        self._address = os.environ.get(_VARIABLE, "")

    def ready(self) -> None:
        """Say that following has begun."""
        self._send_state("READY=1")

    def alive(self) -> None:
        """Say that a window is finished; from the control loop alone."""
        self._send_state("WATCHDOG=1")

    def notify_stopping(self) -> None:
        """Say that the host is given back."""
        self._send_state("STOPPING=1")

    def _send_state(self, what: str) -> None:
        if not self._address.startswith(("/", "@")):
            return
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
            wire.settimeout(0)
            wire.connect(self._address.replace("@", "\0", 1) if self._address[0] == "@" else self._address)
            wire.send(what.encode())
