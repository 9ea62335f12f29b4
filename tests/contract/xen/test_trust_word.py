"""`domtune trust` against a real sshd on the loopback."""

import json

import pytest

from scheduler.commands.parser import main
from scheduler.hosts.remote.ssh_options import app_known_hosts
from tests.sshd import Sshd


@pytest.fixture
def sshd(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path / "home"))
    sshd = Sshd(tmp_path / "sshd")
    sshd.start()
    yield sshd
    sshd.stop()


@pytest.mark.parametrize("form", ["xl+ssh://{}", "xen+ssh://{}/system", "qemu+ssh://{}/system"])
def test_key_is_shown_first_and_kept_when_it_is_accepted(sshd, capsys, form):
    url = form.format(sshd.url.partition("://")[2])
    assert main(["trust", url, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["kept_in"] == ""
    assert not app_known_hosts().exists()
    assert main(["trust", url, "--fingerprint", shown["fingerprint"]]) == 0
    assert "trusts it from now on" in capsys.readouterr().out
    assert app_known_hosts().read_text().split()[1:] == sshd.known_line().split()[1:3]
    assert app_known_hosts().stat().st_mode & 0o777 == 0o600


def test_another_fingerprint_is_not_accepted(sshd, capsys):
    assert main(["trust", sshd.url, "--fingerprint", "SHA256:" + "A" * 43]) != 0
    assert "shows the key SHA256:" in capsys.readouterr().err
    assert not app_known_hosts().exists()


@pytest.mark.parametrize("url", ["local:", "xl:", "qemu:///system"])
def test_what_is_not_reached_by_ssh_is_refused(url, capsys):
    assert main(["trust", url]) == 2
    assert "not reached by ssh" in capsys.readouterr().err
