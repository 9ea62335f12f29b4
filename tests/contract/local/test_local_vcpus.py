"""`local:` gives its guest one CPU or more of the real kernel's, reads them back, and leaves them as they were."""

import contextlib
import json
import os
import signal
import subprocess
import sys

import msgspec
import psycopg2
import pytest

from scheduler.errors import HostError, ParameterRefused
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.hosts.local.cgroup_paths import group_folder
from scheduler.hosts.local.cgroup_rights import find_cgroup_paths
from scheduler.hosts.local.cgroup_steps import read_pids
from scheduler.hosts.local.local_host import LocalHost
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from tests.contract.host_contract import REPO, Opened
from tests.contract.local.subject import URL, LocalSubject, connect, put_back_after_a_kill, relay_and_postmaster
from tests.lacking import lacking

ONE, TWO = VcpuParams(1), VcpuParams(2)
ABSENT = {IO: None, GUEST: None, GUEST_VCPUS: None}


class WithoutSets(LocalSubject):
    """This computer as one on which no CPU sets can be used: affinity does the same."""

    def open(self, command_log):
        return LocalHost(msgspec.structs.replace(find_cgroup_paths(), cpuset=""), command_log)


@contextlib.contextmanager
def booted(subject):
    opened = Opened(subject)
    try:
        opened.host.boot()
        yield opened
        opened.put_back()
    finally:
        opened.host.close()
    assert opened.snapshot() == opened.before


@pytest.fixture
def two_cpus(place):
    if len(place.cpus) < 2:
        lacking("two CPUs that DomTune may use")


@pytest.fixture
def opened(two_cpus):
    with booted(LocalSubject()) as opened:
        yield opened


def cpus_of(pid):
    return tuple(sorted(os.sched_getaffinity(pid)))


def test_guest_gets_the_cpus_that_are_read_back_and_the_io_domain_keeps_the_contended_one(opened, place):
    host, io = opened.host, {GUEST: None, IO: None}
    assert host.read(GUEST_VCPUS) is None
    for wanted in (TWO, ONE, TWO):
        announced = host.commands(GUEST_VCPUS, wanted)
        opened.command_log.clear()
        host.write(GUEST_VCPUS, wanted)
        assert host.read(GUEST_VCPUS) == wanted
        assert len(announced) <= len(opened.lines())  # before they are in, the processes are not known by number
        host.write(IO, host.baseline(IO))
        io = relay_and_postmaster()
        with connect(opened) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            [backend] = cursor.fetchone()
            assert cpus_of(backend) == cpus_of(io[GUEST]) == tuple(sorted(place.cpus[: wanted.online]))
        assert cpus_of(io[IO]) == (place.contended_cpu,)
    assert opened.facts.vcpus.most == len(place.cpus)
    assert host.read(GUEST) == host.baseline(GUEST)


def test_native_is_the_same_server_on_as_many_cpus_with_no_limit_and_nothing_through_the_relay(opened, place):
    host = opened.host
    for wanted in (TWO, ONE):
        host.write(GUEST_VCPUS, wanted)
        host.write(IO, host.baseline(IO))
        passed = host.usage()[IO].in_bytes
        url, secret = host.database.reference_url(), host.database.secret()
        with contextlib.closing(psycopg2.connect(url, password=secret, connect_timeout=10)) as connection:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid(), pg_postmaster_start_time()")
                backend, began = cursor.fetchone()
            assert cpus_of(backend) == tuple(sorted(place.cpus[: wanted.online]))
        # Login and query are some 260 bytes; an earlier connection may still say goodbye, which is 5.
        assert host.usage()[IO].in_bytes - passed < 50
        assert host.read(GUEST) == host.baseline(GUEST)
        assert host.baseline(GUEST).quota_us is None
    with connect(opened) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT pg_postmaster_start_time()")
        assert cursor.fetchone() == (began,)


def test_server_is_started_as_it_is_reported_to(place):
    host = open_host(URL, ignore_command)
    host.database.set_server({"io_method": "sync"})
    try:
        host.boot()
        url, secret = host.database.reference_url(), host.database.secret()
        opened = contextlib.closing(psycopg2.connect(url, password=secret, connect_timeout=10))
        with opened as connection, connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('server_version_num')::int, current_setting('io_method', true)")
            number, says = cursor.fetchone()
    finally:
        host.close()
    assert says == ("sync" if number >= 180_000 else None)


def test_quota_holds_however_many_cpus_there_are(opened):
    opened.host.write(GUEST, CgroupParams(opened.host.baseline(GUEST).weight, 10_000, 20_000))
    opened.host.write(GUEST_VCPUS, TWO)
    assert opened.host.read(GUEST).quota_us == 10_000
    assert opened.host.read(GUEST_VCPUS) == TWO


def test_way_back_leaves_one_cpu_to_who_comes_next(opened):
    host = opened.host
    for _ in range(2):
        host.write(GUEST_VCPUS, TWO)
        opened.put_back()
        host.write(GUEST_VCPUS, None)
        assert {slot: host.read(slot) for slot in ABSENT} == ABSENT
        assert opened.snapshot() == opened.before
        host.write(GUEST, host.baseline(GUEST))
        assert host.read(GUEST_VCPUS) == host.baseline(GUEST_VCPUS) == ONE


def test_more_cpus_than_there_are_are_refused_and_nothing_is_touched(opened, place):
    with pytest.raises(ParameterRefused, match=rf"1\.\.{len(place.cpus)}"):
        opened.host.write(GUEST_VCPUS, VcpuParams(len(place.cpus) + 1))
    assert opened.snapshot() == opened.before


def test_cpus_that_another_else_sets_are_not_taken_for_ours(opened, place):
    if not place.cpuset:
        lacking("CPU sets that can be used")
    opened.host.write(GUEST_VCPUS, TWO)
    (group_folder(place.cpuset, GUEST) / "cpuset.cpus").write_text(str(place.cpus[1]), "ascii")
    with pytest.raises(HostError, match="was not set"):
        opened.host.read(GUEST_VCPUS)


def test_without_cpu_sets_affinity_gives_the_cpus_and_shows_who_else_sets_them(two_cpus, place):
    with booted(WithoutSets()) as opened:
        host = opened.host
        for wanted in (TWO, ONE, TWO):
            host.write(GUEST_VCPUS, wanted)
            assert host.read(GUEST_VCPUS) == wanted
        theirs = relay_and_postmaster()[GUEST]
        assert cpus_of(theirs) == tuple(sorted(place.cpus[:2]))
        for pid in read_pids(group_folder(place.cpu, GUEST)):
            os.sched_setaffinity(pid, {place.cpus[1]})
        with pytest.raises(HostError, match="was not set"):
            host.read(GUEST_VCPUS)


def test_nothing_is_sized_before_anything_runs():
    host = open_host(URL, ignore_command)
    with pytest.raises(HostError, match="nothing runs in it yet"):
        host.write(GUEST_VCPUS, ONE)
    assert host.read(GUEST_VCPUS) is None
    host.close()


VICTIM = """
import json, sys
from scheduler.hosts.local.local_host import LocalHost
from scheduler.hosts.local.cgroup_paths import group_folder
from scheduler.hosts.local.cgroup_rights import find_cgroup_paths
from scheduler.hosts.local.cgroup_steps import read_pids
from scheduler.hosts.host_registry import open_host
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
host = open_host("local:", lambda command, answer: None)
host.boot()
context = dict(host.context())
host.write(GUEST_VCPUS, VcpuParams(2))
print(json.dumps(context), flush=True)
sys.stdin.read()
"""


def test_another_process_takes_the_cpus_back_after_a_kill(two_cpus, home, made_by_us):
    before = LocalSubject().snapshot()
    victim = subprocess.Popen(
        [sys.executable, "-c", VICTIM], cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    context = json.loads(victim.stdout.readline())
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    assert LocalSubject().snapshot() != before
    put_back_after_a_kill(context, ABSENT)
    assert LocalSubject().snapshot() == before
