"""What the tests of libvirt hosts share: a libvirtd of their own."""

import shutil
import tempfile
from pathlib import Path

import pytest

from tests.contract.libvirt.private import PrivateLibvirtd, missing


@pytest.fixture(scope="module")
def libvirtd():
    reason = missing()
    if reason:
        pytest.skip(reason)
    folder = Path(tempfile.mkdtemp(prefix="domtune-lv-"))  # short: a socket's path has at most 107 letters
    daemon = PrivateLibvirtd(folder)
    daemon.start()
    try:
        yield daemon
        daemon.clear()
    finally:
        daemon.stop()
        daemon.remove_groups()
        shutil.rmtree(folder)
