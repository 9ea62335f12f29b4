"""Notifications to systemd about a service, by sd_notify(3).

The watchdog of systemd ends a stuck process and all processes of its service. `ExecStopPost=domtune restore` then
restores the host. Without systemd, nothing is sent.
"""

import contextlib
import os
import socket

_VARIABLE = "NOTIFY_SOCKET"


class SystemdNotifier:
    """Notifier of systemd, if systemd asked for it; never raises, never waits."""

    def __init__(self) -> None:
        self._address = os.environ.get(_VARIABLE, "")

    def ready(self) -> None:
        """Report that following has begun."""
        self._send_state("READY=1")

    def alive(self) -> None:
        """Report a finished window; called only by the control loop."""
        self._send_state("WATCHDOG=1")

    def notify_stopping(self) -> None:
        """Report that following has ended and the host is restored next."""
        self._send_state("STOPPING=1")

    def _send_state(self, what: str) -> None:
        if not self._address.startswith(("/", "@")):
            return
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
            wire.settimeout(0)
            wire.connect(self._address.replace("@", "\0", 1) if self._address[0] == "@" else self._address)
            wire.send(what.encode())
