"""The folder of a connection is in the system's folder for temporary files, which others clear."""

import tempfile
from pathlib import Path

import pytest

from scheduler.errors import HostUnreachable
from scheduler.hosts.remote.ssh_shell import SshShell
from scheduler.hosts.remote.ssh_url import SshTarget


@pytest.fixture
def folder():
    """A short path: a longer one leaves no room for the socket, and another is taken."""
    with tempfile.TemporaryDirectory(prefix="dt-", dir="/tmp") as name:
        yield Path(name)


def test_folder_that_is_cleared_while_it_connects_is_no_traceback(tmp_path, folder, monkeypatch):
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\n[ "$1" = -G ] && exit 0\nrm -rf "$DOMTUNE_TEST_TMP"/domtune-ssh-*\nexit 255\n')
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("DOMTUNE_TEST_TMP", str(folder))
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    shell = SshShell(SshTarget("xen1", "root"), "xl+ssh", "")
    with pytest.raises(HostUnreachable, match="xen1"):
        shell.run(["true"])
    shell.close()
    assert list(folder.iterdir()) == []
