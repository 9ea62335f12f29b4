"""Two containers reached over ssh (libssh, the host's own sshd and netcat), as on another computer."""

import os
import shutil

import pytest

from scheduler.hosts.registry import open_host, reopen_host
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, Split
from scheduler.run.journal import Journal
from scheduler.run.lease import Lease
from scheduler.shares.registry import model_of
from tests.contract.libvirt.private import groups_of
from tests.sshd import Sshd

NAMES = {IO: f"sio{os.getpid()}", GUEST: f"sdb{os.getpid()}"}
FOUND = {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "-1", "cpu.shares": "1024"}


def unheard(command, answer):
    """Be the ledger that nobody reads."""


@pytest.fixture
def sshd(tmp_path):
    assert shutil.which("nc"), "package netcat-openbsd is missing (packaging/apt-packages)"
    server = Sshd(tmp_path / "sshd")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def url(libvirtd, sshd, tmp_path):
    for name in NAMES.values():
        libvirtd.container(name)
    known = tmp_path / "known"
    known.write_text(sshd.known_line())
    yield (
        f"lxc+libssh://{sshd.user}@127.0.0.1:{sshd.port}/system?socket={libvirtd.socket}&proxy=netcat"
        f"&keyfile={sshd.folder / 'user_key'}&known_hosts={known}&sshauth=privkey"
    )
    libvirtd.clear()


def test_that_a_connection_cut_in_a_sweep_is_made_again_and_everything_put_back(url, sshd, tmp_path):
    host = open_host(url, unheard, io_domain=NAMES[IO], guest_domain=NAMES[GUEST])
    facts = host.facts()
    assert facts.client_cpus == ()  # the clients are not on that computer
    assert facts.scheduler == "lxc-v1"
    model = model_of(facts)
    lease = Lease(host, tmp_path / "journal", facts.host_id, url, lambda u: reopen_host(u.host_url, u.context, unheard))
    with lease:
        lease.apply(model.encode(Split(1, 3), Mode.PARTITION, 20_000).params)
        sshd.stop()  # and its sessions with it
        sshd.start()
        second = model.encode(Split(1, 1), Mode.PARTITION, 20_000).params
        lease.apply(second)
        assert groups_of(NAMES[GUEST], "lxc")["cpu.cfs_quota_us"] == str(second[GUEST].vcpu_quota_us)
        host.usage()
    host.close()
    assert {role: groups_of(name, "lxc") for role, name in NAMES.items()} == {IO: FOUND, GUEST: FOUND}
    assert not Journal(tmp_path / "journal", facts.host_id).path.exists()
