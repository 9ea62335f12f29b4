"""A doubled pool and a doubled Dom0 behind a real sshd; real TLS, real ssh, a real guard."""

import os

import pytest

from scheduler.commands.words import main
from tests.sshd import trusted_sshd
from tests.xapi_double.fixtures import home, member, pairs, pool
from tests.xen_double.state import Double

__all__ = ["home", "member", "pairs", "pool"]


@pytest.fixture
def dom0(home, tmp_path, monkeypatch):
    """What `xl` sees: the same guest, by the same UUID."""
    double = Double(tmp_path / "xen")
    double.install(scheduler="credit")
    with double.changing() as state:
        state["domains"][1]["name"] = "db1"
        state["domains"][1]["domid"] = 3
    monkeypatch.setenv("DOMTUNE_XEN_SBIN", str(double.sbin))
    monkeypatch.setenv("DOMTUNE_GUARD_RUN", str(tmp_path / "run"))
    monkeypatch.setenv("PATH", f"{double.sbin}:{os.environ['PATH']}")
    monkeypatch.setattr("scheduler.hosts.xen.survey.LOOK_S", 0.1)
    return double


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
        monkeypatch.setattr("scheduler.commands.words.log_to_file", lambda verbose: None)
        code = main(list(words))
        return code, *capsys.readouterr()

    return call
