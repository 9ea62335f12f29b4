"""What the tests of `local:` share: a home of their own, and a host at its baseline."""

import os
import shutil
import tempfile
from pathlib import Path

import psutil
import pytest

from scheduler.errors import HostNotUsable
from scheduler.hosts.local.cgroup_rights import find_cgroup_paths
from tests import leftover_groups
from tests.contract.host_contract import Opened
from tests.contract.local.subject import LocalSubject, baseline, set_all
from tests.lacking import lacking


@pytest.fixture(scope="module", autouse=True)
def place():
    try:
        return find_cgroup_paths()
    except HostNotUsable as error:
        lacking(f"{error} {error.hint}")


@pytest.fixture(scope="module", autouse=True)
def home():
    folder = Path(tempfile.mkdtemp(prefix="domtune-host-"))
    folder.chmod(0o755)  # the server's account must be able to enter
    before = psutil.Process().children()  # a server that other modules of this worker share
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOMTUNE_HOME", str(folder))
        yield folder
    shutil.rmtree(folder)
    started = (child for child in psutil.Process().children() if child not in before)
    assert [child for child in started if "tests.core_server" not in child.cmdline()] == []  # that one is shared, too


@pytest.fixture
def made_by_us(place):
    """For what happens to groups that were not there before."""
    if os.geteuid() != 0 and leftover_groups.handed_over(place):
        pytest.skip("the control groups were made by the helper, and are kept")
    assert leftover_groups.complaint(place) == ""


@pytest.fixture
def subject():
    return LocalSubject()


@pytest.fixture
def swept(subject):
    """A booted host at its baseline, as a sweep has it."""
    opened = Opened(subject)
    try:
        opened.host.boot()
        set_all(opened, baseline(opened))
        yield opened
        opened.put_back()
    finally:
        opened.host.close()
    assert opened.snapshot() == opened.before
