"""A libvirtd that wants user and password (SASL): taken from the environment, asked for once, shown nowhere."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from scheduler.errors import HostNotUsable
from scheduler.hosts.host_registry import open_host
from scheduler.hosts.libvirt.libvirt_uri import SECRET, USER
from tests.contract.libvirt.private import START, PrivateLibvirtd, need_libvirtd, wait

PASSWORD = "a word of our own"  # of a server that lives as long as this test


@pytest.fixture(scope="module")
def guarded():
    """A libvirtd that lets nobody in without a password, with two containers."""
    need_libvirtd()
    assert shutil.which("saslpasswd2"), "package sasl2-bin is missing (packaging/apt-packages tests)"
    folder = Path(tempfile.mkdtemp(prefix="domtune-sasl-"))
    daemon = PrivateLibvirtd(folder)
    daemon.start()
    daemon.container("sasl-io")
    daemon.container("sasl-db")
    daemon.stop()  # its containers run on
    ask_for_password(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SASL_CONF_PATH", str(folder / "sasl"))
        begin(daemon)
        yield daemon
        daemon.stop()
    daemon.start()  # without passwords again
    daemon.clear()
    daemon.stop()
    daemon.remove_groups()
    shutil.rmtree(folder)


def ask_for_password(folder):
    config = folder / "etc/libvirtd.conf"
    config.write_text(config.read_text().replace('auth_unix_rw = "none"', 'auth_unix_rw = "sasl"'))
    (folder / "sasl").mkdir()
    (folder / "sasl/libvirt.conf").write_text(f"mech_list: scram-sha-256\nsasldb_path: {folder}/passwd.db\n")
    make = ["saslpasswd2", "-p", "-a", "libvirt", "-f", str(folder / "passwd.db"), "tester"]
    subprocess.run(make, input=PASSWORD, text=True, check=True)


def begin(daemon):
    """Start it with the configuration that is there."""
    command = ["unshare", "--mount", "--propagation", "private", START, "--inside", daemon.folder]
    (daemon.folder / "libvirtd.pid").unlink(missing_ok=True)
    subprocess.run(command, check=True, capture_output=True, timeout=30)
    daemon.pid = int((daemon.folder / "libvirtd.pid").read_text())
    wait(0.5)


def opened(daemon):
    return open_host(daemon.url("lxc"), lambda command, answer: None, io_domain="sasl-io", guest_domain="sasl-db")


def test_right_password_opens_it(guarded, monkeypatch):
    monkeypatch.setenv(USER, "tester")
    monkeypatch.setenv(SECRET, PASSWORD)
    host = opened(guarded)
    assert {domain.name for domain in host.facts().domains} == {"sasl-io", "sasl-db"}
    assert PASSWORD not in str(dict(host.context()))
    host.close()


@pytest.mark.parametrize("secret", ["", "wrong"])
def test_wrong_or_missing_password_is_asked_for_once_and_not_shown(guarded, monkeypatch, secret):
    monkeypatch.setenv(USER, "tester")
    monkeypatch.setenv(SECRET, secret)
    with pytest.raises(HostNotUsable, match="login was refused") as said:
        opened(guarded)
    assert SECRET in said.value.hint
    assert "wrong" not in str(said.value)
