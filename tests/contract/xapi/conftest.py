"""A doubled pool and a doubled Dom0 behind a real sshd; real TLS, real ssh, a real guard."""

import pytest

from scheduler.commands.parser import main
from tests.sshd import trusted_sshd
from tests.xapi_double.fixtures import home, member, pairs, pool
from tests.xapi_double.pool import seen_by_xl
from tests.xen_double.standing import stand_up

__all__ = ["home", "member", "pairs", "pool"]


@pytest.fixture
def dom0(home, tmp_path, monkeypatch):
    return stand_up(tmp_path, monkeypatch, **seen_by_xl())


@pytest.fixture
def sshd(dom0, tmp_path, monkeypatch):
    with trusted_sshd(tmp_path / "sshd", monkeypatch) as sshd:
        yield sshd


@pytest.fixture
def url(member, sshd):
    return f"{member.url}?ssh={sshd.user}@127.0.0.1:{sshd.port}"


@pytest.fixture
def call(capsys, monkeypatch):
    """The command line, in this process; returns exit code, output and complaints."""

    def call(*words):
        monkeypatch.setattr("scheduler.commands.parser.log_to_file", lambda verbose: None)
        code = main(list(words))
        return code, *capsys.readouterr()

    return call
