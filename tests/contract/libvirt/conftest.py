"""What the tests of libvirt hosts share: libvirt's binding and a libvirtd of their own."""

import shutil
import tempfile
from pathlib import Path

import pytest

from scheduler.errors import HostNotUsable
from scheduler.hosts.libvirt.libvirt_python import find_python
from tests.contract.libvirt.domain_contract import NAMES
from tests.contract.libvirt.private import PrivateLibvirtd, need_libvirtd
from tests.lacking import lacking


@pytest.fixture(scope="module")
def binding():
    """A Python here that can speak with libvirt."""
    try:
        find_python()
    except HostNotUsable as error:
        lacking(f"{error} {error.hint}")


@pytest.fixture(scope="module")
def libvirtd():
    need_libvirtd()
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


@pytest.fixture(scope="module")
def containers(libvirtd):
    """The libvirtd with two containers that do nothing."""
    for name in NAMES.values():
        libvirtd.container(name)
    return libvirtd
