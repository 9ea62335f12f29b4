"""A doubled Xen host: real processes, real shells, a real guard; only the toolstack's programs are doubles."""

import pytest

from scheduler.hosts.remote.guard_state import look
from scheduler.hosts.remote.guard_words import Words
from scheduler.hosts.remote.local_shell import LocalShell
from scheduler.hosts.xen.host import open_host
from tests.sshd import trusted_sshd
from tests.xen_double.standing import stand_up


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
    yield lambda: look(Words(shell, str(tmp_path / "run")))
    shell.close()


@pytest.fixture
def double_sshd(double, tmp_path, monkeypatch):
    with trusted_sshd(tmp_path / "sshd", monkeypatch) as sshd:
        yield sshd
