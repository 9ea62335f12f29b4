"""A doubled Xen host: real processes, real shells, a real guard; only the toolstack's programs are doubles."""

import contextlib
import os
import signal

import pytest

from scheduler.hosts.remote.guard_commands import GuardCommands
from scheduler.hosts.remote.guard_state import read_guard_state
from scheduler.hosts.remote.local_shell import LocalShell
from scheduler.hosts.xen.xen_host import open_host
from tests.sshd import trusted_sshd
from tests.xen_double.standing import stand_up


@pytest.fixture(autouse=True)
def no_guard_stays(tmp_path):
    """A test may end with its host changed: the guard would wait for a minute, and then say so to nobody."""
    yield
    sweep = tmp_path / "run/sweep"
    if any((sweep / state).exists() for state in ("armed", "fired")) and (sweep / "pid").exists():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int((sweep / "pid").read_text()), signal.SIGKILL)


@pytest.fixture
def double(tmp_path, monkeypatch):
    return stand_up(tmp_path, monkeypatch)


@pytest.fixture
def host(double):
    host = open_host("xl:", lambda *_: None, "", "", "")
    yield host
    host.close()


@pytest.fixture
def guard(tmp_path):
    shell = LocalShell()
    yield lambda: read_guard_state(GuardCommands(shell, str(tmp_path / "run")))
    shell.close()


@pytest.fixture
def double_sshd(double, tmp_path, monkeypatch):
    with trusted_sshd(tmp_path / "sshd", monkeypatch) as sshd:
        yield sshd
