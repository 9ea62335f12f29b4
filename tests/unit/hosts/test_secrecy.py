"""What we start does not inherit the passwords that we were given."""

import pytest

from scheduler.hosts.libvirt import uri as libvirt_uri
from scheduler.hosts.remote.askpass import SECRET, asking_environment, quiet_environment
from scheduler.hosts.secrecy import environment_without_secrets
from scheduler.hosts.xapi import url as xapi_url

NAMES = (SECRET, libvirt_uri.SECRET, xapi_url.SECRET, "PGPASSWORD")


@pytest.fixture(autouse=True)
def given(monkeypatch):
    for name in NAMES:
        monkeypatch.setenv(name, f"secret of {name}")
    monkeypatch.setenv("DOMTUNE_OTHER", "seen")


@pytest.mark.parametrize("made", [environment_without_secrets, quiet_environment])
def test_that_nobody_inherits_a_password(made):
    environment = made()
    assert not [value for value in environment.values() if "secret of" in value]
    assert environment["DOMTUNE_OTHER"] == "seen"


def test_that_ssh_gets_its_own_password_and_no_other(tmp_path):
    environment = asking_environment(tmp_path, "for this host", {"xen1"})
    assert environment[SECRET] == "for this host"
    assert not [value for value in environment.values() if "secret of" in value]
