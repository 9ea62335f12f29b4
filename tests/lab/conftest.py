"""One Xen lab for all tests of this folder; whatever they leave running is ended."""

import os
from pathlib import Path

import pytest

from tests.lab.xen_lab import XenLab


@pytest.fixture(scope="session")
def xen_lab():
    """The lab of `DOMTUNE_HOME` (`make test-live` gives it one of its own), down at the end; not one that is named."""
    lab = XenLab()
    yield lab
    if "DOMTUNE_LAB_SSH" not in os.environ:
        assert lab.down().code == 0


@pytest.fixture(scope="session")
def xen_ssh_config(request):
    """An ssh configuration that knows `domtune-xen`: the one named by DOMTUNE_LAB_SSH, else the lab's own."""
    if named := os.environ.get("DOMTUNE_LAB_SSH"):
        return Path(named)
    return Path(request.getfixturevalue("xen_lab").under("credit2")["ssh_config"])
