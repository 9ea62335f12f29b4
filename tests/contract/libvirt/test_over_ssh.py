"""Two containers reached over ssh (libssh, the host's own sshd and netcat), as on another computer: behind a guard."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys

import pytest

from scheduler.errors import GuardFired, HostBusy, HostNotUsable
from scheduler.hosts.host_registry import open_host, reopen_host
from scheduler.hosts.libvirt.remote_access import RemoteAccess
from scheduler.hosts.remote.guard import Guard
from scheduler.hosts.remote.guard_script import LIBVIRT, NUMBER, RestoreCommands, restore_lines
from scheduler.hosts.remote.local_shell import LocalShell
from scheduler.model.host_properties import Severity
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, split_between
from scheduler.run.journal import UndoJournal
from scheduler.run.lease import HostLease
from scheduler.shares.model_lookup import share_model_for_host
from tests.contract.host_contract import REPO
from tests.contract.kept_contract import KeptContract
from tests.contract.libvirt.domain_contract import NAMES, DomainContract, DomainSubject
from tests.contract.libvirt.private import groups_of
from tests.guard_world import MARGIN_S, TTL_S, wait_for
from tests.sshd import Sshd
from tests.volume import deep

FOUND = {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "-1", "cpu.shares": "1024"}
# A sweep that changes the host and waits to be killed.
SWEEP = """
import sys
from scheduler.hosts.host_registry import open_host
from scheduler.model.spec import Mode
from scheduler.model.split import split_between
from scheduler.run.lease import HostLease
from scheduler.hosts.host_registry import reopen_host
from scheduler.shares.model_lookup import share_model_for_host
from pathlib import Path
url, journal, io, guest = sys.argv[1:]
unheard = lambda command, answer: None
host = open_host(url, unheard, io_domain=io, guest_domain=guest)
facts = host.facts()
with HostLease(host, Path(journal), facts.host_id, url, lambda u: reopen_host(u.host_url, u.context, unheard)) as lease:
    lease.apply(share_model_for_host(facts).encode(split_between(1, 3), Mode.CAPS, 20_000).params)
    print("changed", flush=True)
    sys.stdin.read()
"""


def unheard(command, answer):
    """Be a command log without readers."""


@contextlib.contextmanager
def far(folder):
    """Run an sshd, and let guards that are started through it keep their things in this folder."""
    assert shutil.which("nc"), "package netcat-openbsd is missing (packaging/apt-packages tests)"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOMTUNE_GUARD_RUN", str(folder / "run"))
        server = Sshd(folder / "sshd")
        server.start()
        yield server
        server.stop()


def url_of(containers, sshd):
    known = sshd.folder / "known"
    known.write_text(sshd.known_line())
    return (
        f"lxc+libssh://{sshd.user}@127.0.0.1:{sshd.port}/system?socket={containers.socket}&proxy=netcat"
        f"&keyfile={sshd.folder / 'user_key'}&known_hosts={known}&sshauth=privkey"
    )


@pytest.fixture
def sshd(tmp_path):
    with far(tmp_path) as server:
        yield server


@pytest.fixture
def url(containers, sshd):
    return url_of(containers, sshd)


@pytest.fixture
def host(url):
    host = open_host(url, unheard, io_domain=NAMES[IO], guest_domain=NAMES[GUEST])
    yield host
    host.close()
    assert groups() == {IO: FOUND, GUEST: FOUND}


def groups():
    return {role: groups_of(name, "lxc") for role, name in NAMES.items()}


def lease_of(host, url, folder):
    facts = host.facts()
    return HostLease(host, folder, facts.host_id, url, lambda u: reopen_host(u.host_url, u.context, unheard))


def params_of(host, split):
    return share_model_for_host(host.facts()).encode(split, Mode.CAPS, 20_000).params


class TestContainersBehindAGuard(KeptContract, DomainContract):
    if not deep():  # laws of values, not of who writes them: the same containers hold them without a guard
        test_modes_may_follow_each_other_in_any_order = None
        test_baseline_can_be_set_and_means_no_split = None
        test_writing_twice_is_writing_once = None
        test_original_restored_leaves_nothing = None
        test_value_out_of_range_is_refused_and_the_host_untouched = None
        test_usage_never_runs_backwards = None
        test_original_can_be_restored_twice_and_before_any_write = None
        test_host_can_be_restored_and_taken_again = None
        test_commands_touches_nothing = None
        test_every_change_is_announced_before_it_is_made = None

    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls, containers, tmp_path_factory):
        subject = DomainSubject(containers, "lxc", NAMES[IO])
        with far(tmp_path_factory.mktemp("far")) as sshd:
            subject.url = url_of(containers, sshd)
            yield subject


def test_connection_cut_in_a_sweep_is_made_again_and_everything_restored(host, url, sshd, tmp_path):
    facts = host.facts()
    assert facts.client_cpus == ()  # the clients are not on that computer
    assert facts.scheduler == "lxc-v1"
    with lease_of(host, url, tmp_path / "journal") as lease:
        lease.apply(params_of(host, split_between(1, 3)))
        sshd.stop()  # and its sessions with it
        sshd.start()
        second = params_of(host, split_between(1, 1))
        lease.apply(second)
        assert groups()[GUEST]["cpu.cfs_quota_us"] == str(second[GUEST].vcpu_quota_us)
        host.usage()
    host.close()
    assert groups() == {IO: FOUND, GUEST: FOUND}
    assert not UndoJournal(tmp_path / "journal", facts.host_id).path.exists()
    assert not (tmp_path / "run/sweep").exists()


def test_restore_lets_the_guard_of_a_killed_sweep_restored_and_takes_it_away(url, tmp_path):
    words = [sys.executable, "-c", SWEEP, url, str(tmp_path / "journal"), NAMES[IO], NAMES[GUEST]]
    with subprocess.Popen(words, cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sweep:
        assert sweep.stdout.readline() == "changed\n"
        assert groups()[GUEST] != FOUND
        sweep.send_signal(signal.SIGKILL)
    assert (tmp_path / "run/sweep/armed").exists()
    reported = []
    [record] = (tmp_path / "journal").glob("*.json")
    undo = UndoJournal(tmp_path / "journal", record.stem).read()
    host = reopen_host(undo.host_url, undo.context, lambda command, answer: reported.append(command))
    assert {domain: host.read(domain) for domain in (IO, GUEST)} == undo.originals
    host.close()
    assert groups() == {IO: FOUND, GUEST: FOUND}
    assert not (tmp_path / "run/sweep").exists()


@pytest.fixture
def alone(containers, host, tmp_path):
    """A guard of a short patience, and the words that set the guest's quota through it."""
    reach = RemoteAccess(
        virsh=shutil.which("virsh"), uri=f"lxc+unix:///system?socket={containers.socket}", sudo=(), run=""
    )
    uuid = host.context()["guest"]
    back = RestoreCommands(LIBVIRT + uuid, ((*reach.argv, "schedinfo", NUMBER, "--live", "--set", "vcpu_quota=-1"),))
    guard = Guard(LocalShell(), str(tmp_path / "guard"))
    guard.arm(restore_lines([back]), TTL_S, 3600)
    limit = [*reach.argv, "schedinfo", uuid, "--live", "--set", "vcpu_quota=7000"]
    assert guard.run_under_lock(limit).code == 0
    assert groups()[GUEST]["cpu.cfs_quota_us"] == "7000"
    return guard, limit


def test_guard_that_hears_nothing_restores_what_libvirt_has_set(alone):
    guard, limit = alone
    guard.abandon()  # as a sweep that is cut off
    wait_for(lambda: groups()[GUEST] == FOUND, TTL_S + MARGIN_S, "the guard did not put the container back")
    with pytest.raises(GuardFired):
        guard.run_under_lock(limit)
    assert groups()[GUEST] == FOUND
    assert guard.state().state in ("none", "restored")


def test_guard_waits_for_a_libvirtd_that_is_dead(alone, containers):
    guard, _ = alone
    containers.stop()  # its containers run on
    guard.abandon()
    wait_for(lambda: guard.state().state == "fired", TTL_S + MARGIN_S, "the guard did not fire")
    wait_for(lambda: any("ended with 1" in line for line in guard.state().log), 30, "it did not try")
    assert groups()[GUEST] != FOUND
    containers.start()
    wait_for(lambda: guard.state().state == "restored", 60, "the guard gave up")
    assert groups()[GUEST] == FOUND


def test_second_sweep_is_reported_who_holds_the_host(host, url):
    host.boot()
    other = open_host(url, unheard, io_domain=NAMES[IO], guest_domain=NAMES[GUEST])
    try:
        warning = next(finding for finding in other.facts().findings if finding.level is Severity.WARNING)
        assert f"process {os.getpid()}" in warning.text
        with pytest.raises(HostBusy, match="another sweep holds this host"):
            other.boot()
    finally:
        other.close()


def test_nothing_is_changed_where_no_guard_can_be_left(host, tmp_path, monkeypatch):
    (tmp_path / "run").write_text("a file where the guard's folder should be")
    with pytest.raises(HostNotUsable, match="guard"):
        host.boot()
    with pytest.raises(HostNotUsable, match="guard"):
        host.write(GUEST, params_of(host, split_between(1, 3))[GUEST])
    assert groups() == {IO: FOUND, GUEST: FOUND}
