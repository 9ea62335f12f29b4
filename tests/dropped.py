"""A process that a test, or what it tried, started and dropped is named: Python's warning has its number alone.

That warning comes when garbage is collected, which may be some tests later; it fails the test that runs then.
"""

import os
import subprocess
import warnings

_started = subprocess.Popen.__init__
_dropped = subprocess.Popen.__del__


def _init(self: subprocess.Popen, *words: object, **named: object) -> None:
    self.began_in = os.environ.get("PYTEST_CURRENT_TEST", "no test")
    _started(self, *words, **named)


def _del(self: subprocess.Popen) -> None:
    if getattr(self, "_child_created", False) and self.returncode is None and self.poll() is None:
        warnings.warn(f"dropped while it runs: {self.args} of {self.began_in}", ResourceWarning, 2, source=self)
    _dropped(self)


def pytest_configure() -> None:
    subprocess.Popen.__init__ = _init
    subprocess.Popen.__del__ = _del


def pytest_unconfigure() -> None:
    subprocess.Popen.__init__ = _started
    subprocess.Popen.__del__ = _dropped
