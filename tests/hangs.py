"""A test that hangs where Python cannot raise ends its process, and says where it hung.

pytest-timeout's signal is answered by Python code: inside Qt's event loop, or in a library that waits with the
interpreter locked, none runs, and one such test would hold the whole suite. faulthandler's watchdog is a thread in C;
a worker that it ends is named, with its test, and replaced (pytest-xdist).
"""

import faulthandler
import os
import sys
from collections.abc import Generator

import pytest

_GRACE = (
    1.2  # of the test's own timeout, which is to raise first: a raised one names the fixture, and ends what it made
)
_stderr = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_stderr] = os.dup(sys.__stderr__.fileno())  # what a test prints is captured, this must not be


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    marker = item.get_closest_marker("timeout")
    limit_s = float(marker.args[0] if marker else item.config.getini("timeout"))
    faulthandler.dump_traceback_later(limit_s * _GRACE, exit=True, file=item.config.stash[_stderr])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
