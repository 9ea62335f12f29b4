"""What breaks under a sweep of containers: libvirtd killed or frozen, domains ended; and what is said of it.

Every test looks at the control groups themselves. The lease is the engine's way to write and the only way out.
"""

import os
import signal
import socket
import threading

import pytest

from scheduler.errors import (
    DomainGone,
    HostNotUsable,
    HostUnreachable,
    ParameterRefused,
    RestoreFailed,
)
from scheduler.hosts.host_registry import open_host, reopen_host
from scheduler.hosts.libvirt import libvirt_connection
from scheduler.model.scheduler_params import LibvirtParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, split_between
from scheduler.run.journal import UndoJournal
from scheduler.run.lease import HostLease, restore_from_record
from scheduler.shares.model_lookup import find_share_model
from tests.contract.libvirt.domain_contract import cpus_used
from tests.contract.libvirt.private import BUSY, groups_of, wait
from tests.quiet import until_kept
from tests.volume import deep

NAMES = {IO: f"bio{os.getpid()}", GUEST: f"bdb{os.getpid()}"}
FOUND = {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "-1", "cpu.shares": "1024"}


def unheard(command, answer):
    """Be a command log without readers."""


def reopen(undo):
    return reopen_host(undo.host_url, undo.context, unheard)


class World:
    """Two containers, a lease on them, and what a stranger sees."""

    def __init__(self, libvirtd, folder):
        self.libvirtd = libvirtd
        self.url = libvirtd.url("lxc")
        self.host = open_host(self.url, unheard, io_domain=NAMES[IO], guest_domain=NAMES[GUEST])
        facts = self.host.facts()
        self.model = find_share_model(facts.scheduler)
        self.journal = UndoJournal(folder, facts.host_id)
        self.lease = HostLease(self.host, folder, facts.host_id, self.url, reopen)

    def params(self, io=1, guest=3):
        return self.model.encode(split_between(io, guest), Mode.CAPS, 20_000).params

    def hold(self, sweep):
        with self.lease:
            sweep()

    def quota(self, role):
        return groups_of(NAMES[role], "lxc").get("cpu.cfs_quota_us")

    def as_found(self, *roles):
        return all(groups_of(NAMES[role], "lxc") == FOUND for role in roles)


@pytest.fixture
def world(libvirtd, tmp_path, monkeypatch):
    monkeypatch.setattr(libvirt_connection, "_BACK_S", 2.0)
    if not libvirtd.running():
        libvirtd.start()
    for name in NAMES.values():
        libvirtd.container(name)
    made = World(libvirtd, tmp_path)
    try:
        yield made
    finally:
        made.host.close()
        if not libvirtd.running():
            libvirtd.start()
        libvirtd.clear()


def test_libvirtd_that_is_killed_and_comes_back_costs_nothing(world):
    with world.lease:
        world.lease.apply(world.params(1, 3))
        world.libvirtd.kill()
        world.libvirtd.start()
        world.lease.apply(world.params(1, 2))
        assert world.quota(IO) == str(world.params(1, 2)[IO].vcpu_quota_us)
        world.host.usage()
    assert world.as_found(IO, GUEST)
    assert not world.journal.path.exists()


def test_libvirtd_that_stays_dead_is_reported_for_each_domain_and_restored_later(world):
    def sweep():
        world.lease.apply(world.params(1, 3))
        world.libvirtd.kill()
        with pytest.raises(HostUnreachable, match="does not answer any more"):
            world.lease.apply(world.params(1, 2))

    with pytest.raises(RestoreFailed) as said:
        world.hold(sweep)
    assert set(said.value.pending) == {IO, GUEST}
    undo = world.journal.read()
    assert undo is not None
    assert world.quota(GUEST) == str(world.params(1, 3)[GUEST].vcpu_quota_us)  # as it was said
    with pytest.raises(HostUnreachable) as still:
        restore_from_record(undo, world.journal, reopen)
    assert still.value.hint
    world.libvirtd.start()
    restore_from_record(undo, world.journal, reopen)
    assert world.as_found(IO, GUEST)
    assert not world.journal.path.exists()


@pytest.mark.parametrize("after_s", [0.0, 0.01, 0.03, 0.1] if deep() else [0.0, 0.03])
def test_libvirtd_killed_between_writes_leaves_nothing(world, after_s):
    settings = [world.params(io, guest) for io, guest in ((1, 3), (3, 1), (1, 1), (2, 1))]
    killer = threading.Thread(target=lambda: (wait(after_s), world.libvirtd.kill(), world.libvirtd.start()))
    with world.lease:
        world.lease.apply(settings[0])
        killer.start()
        for _ in range(3):
            for params in settings:
                world.lease.apply(params)
        killer.join()
    assert world.as_found(IO, GUEST)
    assert not world.journal.path.exists()


def test_frozen_libvirtd_is_given_up_in_time(world, monkeypatch):
    os.kill(world.libvirtd.pid, signal.SIGSTOP)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(libvirt_connection, "_CALL_S", 0.5)
            patch.setattr(libvirt_connection, "_OPEN_S", 0.5)
            with pytest.raises(HostUnreachable, match=r"within 0\.5 s"):
                world.host.read(IO)
    finally:
        os.kill(world.libvirtd.pid, signal.SIGCONT)
    assert world.host.read(IO) == LibvirtParams(1024, 100_000, None)


def test_domain_destroyed_in_a_sweep_ends_it_and_the_other_is_restored(world):
    def sweep():
        world.lease.apply(world.params())
        world.host.usage()
        world.libvirtd.virsh("lxc", "destroy", NAMES[GUEST])
        with pytest.raises(DomainGone, match="does not run any more"):
            world.host.usage()
        world.lease.apply(world.params(3, 1))

    with pytest.raises(DomainGone, match="does not run any more"):
        world.hold(sweep)
    assert world.as_found(IO)
    assert world.libvirtd.running()
    assert not world.journal.path.exists()


def test_domain_started_again_ends_the_sweep_and_is_original(world):
    def sweep():
        world.host.boot()
        world.lease.apply(world.params())
        world.libvirtd.virsh("lxc", "destroy", NAMES[GUEST])
        world.libvirtd.virsh("lxc", "start", NAMES[GUEST])
        world.host.usage()

    with pytest.raises(DomainGone, match="was restarted"):
        world.hold(sweep)
    assert world.as_found(IO, GUEST)


def test_domain_is_followed_by_its_identity_under_another_name(world):
    uuid, other = world.libvirtd.uuid("lxc", NAMES[GUEST]), f"new{os.getpid()}"
    with world.lease:
        world.lease.apply(world.params())
        description = world.libvirtd.virsh("lxc", "dumpxml", "--inactive", NAMES[GUEST]).stdout
        world.libvirtd.virsh("lxc", "destroy", NAMES[GUEST])
        world.libvirtd.virsh("lxc", "undefine", NAMES[GUEST])
        world.libvirtd.define("lxc", description.replace(f"<name>{NAMES[GUEST]}<", f"<name>{other}<"))
        world.libvirtd.virsh("lxc", "start", other)
        world.libvirtd.virsh("lxc", "schedinfo", uuid, "--live", "--set", "cpu_shares=77")
    assert groups_of(other, "lxc") == FOUND


def test_parameters_of_a_container_that_is_shut_off_are_not_asked_for(world):
    """libvirtd 9.0 would die of the question."""
    world.libvirtd.virsh("lxc", "destroy", NAMES[GUEST])
    pid = world.libvirtd.pid
    assert world.host.read(GUEST) is None
    with pytest.raises(DomainGone):
        world.host.write(GUEST, world.params()[GUEST])
    world.host.write(GUEST, None)
    assert world.libvirtd.running()
    assert world.libvirtd.pid == pid


WRONG = (
    LibvirtParams(0, 100_000, None),
    LibvirtParams(262_145, 100_000, None),
    LibvirtParams(1024, 999, None),
    LibvirtParams(1024, 0, None),
    LibvirtParams(1024, 100_000, 999),
    LibvirtParams(1024, 100_000, 0),
    LibvirtParams(1024, 100_000, -5),
    LibvirtParams(2**70, 100_000, None),
)


def test_write_of_value_libvirt_would_ignore_is_refused_before_request(world):
    for wrong in WRONG:
        with pytest.raises(ParameterRefused):
            world.host.write(GUEST, wrong)
        assert world.as_found(GUEST), wrong


def test_what_the_kernel_refuses_is_reported_with_its_range(world):
    with pytest.raises(ParameterRefused, match=r"\[2, 262144\]"):
        world.host.write(GUEST, LibvirtParams(1, 100_000, None))  # fine under version 2 only
    assert world.as_found(GUEST)


def test_connection_that_may_only_read_writes_nothing(world):
    url = world.url + "-ro"
    host = open_host(url, unheard, io_domain=NAMES[IO], guest_domain=NAMES[GUEST])
    try:
        with pytest.raises(HostNotUsable, match="read only") as said:
            host.write(GUEST, world.params()[GUEST])
    finally:
        host.close()
    assert said.value.hint
    assert world.as_found(GUEST)


def test_port_that_accepts_and_stays_silent_is_given_up(monkeypatch):
    monkeypatch.setattr(libvirt_connection, "_OPEN_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"qemu+tcp://127.0.0.1:{silent.getsockname()[1]}/system"
        with pytest.raises(HostUnreachable, match=r"within 0\.5 s") as said:
            open_host(url, unheard)
    assert said.value.hint


def test_quotas_hold_what_they_promise(world):
    world.libvirtd.virsh("lxc", "destroy", NAMES[GUEST])
    world.libvirtd.virsh("lxc", "undefine", NAMES[GUEST])
    world.libvirtd.container(NAMES[GUEST], BUSY)
    host = open_host(world.url, unheard, io_domain=NAMES[IO], guest_domain=NAMES[GUEST])
    params = world.params(10, 1)[GUEST]
    most = params.vcpu_quota_us / params.vcpu_period_us + 0.03
    try:
        host.write(GUEST, params)
        used = until_kept(lambda: cpus_used(host, 2.0)[GUEST], lambda used: 0.02 < used < most)
    finally:
        host.close()
    assert 0.02 < used < most
