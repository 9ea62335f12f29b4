"""A doubled Xen host: real processes, real shells, a real guard; only the toolstack's programs are doubles."""

import os

import pytest

from tests.xen_double.state import Double


@pytest.fixture
def double(tmp_path, monkeypatch):
    folder = tmp_path / "xen"
    double = Double(folder)
    double.install()
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DOMTUNE_XEN_SBIN", str(double.sbin))
    monkeypatch.setenv("DOMTUNE_XEN_RUN", str(tmp_path / "run"))
    monkeypatch.setattr("scheduler.hosts.xen.survey.LOOK_S", 0.1)  # nobody else makes noise on a double
    monkeypatch.setenv("PATH", f"{double.sbin}:{os.environ['PATH']}")
    return double
