"""A session bus of a test's own, with a real notification service on it."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_END_S = 20.0


class SessionBus:
    """A bus with a notification service.

    Args:
        folder: Folder of the socket and the record.
    """

    def __init__(self, folder: Path) -> None:
        self.address = f"unix:path={folder / 'bus'}"
        self._record = folder / "notifications"

    @property
    def texts(self) -> list[str]:
        """Texts of the notifications so far."""
        lines = self._record.read_text().splitlines() if self._record.exists() else []
        return [json.loads(line)["text"] for line in lines]

    @contextmanager
    def run(self) -> Generator[None]:
        """Run the bus and the service inside the context."""
        daemon = ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={self.address}", "--print-address"]
        service = [sys.executable, "-m", "tests.notification_service", str(self._record)]
        with _running(daemon, os.environ), _running(service, os.environ | {"DBUS_SESSION_BUS_ADDRESS": self.address}):
            yield


@contextmanager
def _running(command: list[str], environment: dict[str, str]) -> Generator[None]:
    """Run a program inside the context, from its first line on."""
    child = subprocess.Popen(command, cwd=_ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert child.stdout.readline(), command
        yield
    finally:
        child.terminate()
        child.communicate(timeout=_END_S)
