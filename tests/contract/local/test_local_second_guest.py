"""`local:` with a second guest: a server and a relay of its own, in a third group, with the others' promise."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg2
import pytest

from scheduler.errors import DomainGone, HostBusy
from scheduler.hosts.host_registry import ignore_command, open_host, reopen_host
from scheduler.hosts.local.cgroup_paths import PARENT, group_folder
from scheduler.hosts.local.cgroup_steps import read_pids
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, GUEST_2, IO, ROLES, parse_split
from scheduler.run.restore import restore_originals
from scheduler.shares.model_lookup import find_share_model
from tests.contract.host_contract import REPO, Opened
from tests.contract.local.subject import URL, LocalSubject, connect, groups_of, wait_until

ABSENT = dict.fromkeys(ROLES)


@pytest.fixture(scope="class")
def opened(place, home):
    opened = Opened(LocalSubject())
    try:
        opened.host.add_guest()
        opened.host.boot()
        yield opened
        restore_originals(opened.host, ABSENT)
    finally:
        opened.host.close()
    assert opened.snapshot() == opened.before


def encode(opened, text, mode):
    return find_share_model(opened.facts.scheduler).encode(parse_split(text, count=3), mode, 20_000).params


def set_all(opened, params):
    for domain, wanted in params.items():
        opened.host.write(domain, wanted)
    assert {domain: opened.host.read(domain) for domain in params} == params


def connect_second(host):
    return psycopg2.connect(host.database.url(GUEST_2), password=host.database.secret(GUEST_2), connect_timeout=20)


def backend(connection):
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


class TestBooted:
    def test_its_database_is_its_own_behind_a_relay_in_the_io_domain(self, opened, place):
        assert opened.facts.second_guest.possible
        set_all(opened, encode(opened, "2:1:1", Mode.CAPS))
        with connect(opened) as first, connect_second(opened.host) as second:
            pids = {GUEST: backend(first), GUEST_2: backend(second)}
            for domain, pid in pids.items():
                assert f"/{PARENT}/{domain}\n" in groups_of(pid)
                assert os.sched_getaffinity(pid) == {place.contended_cpu}
            with second.cursor() as cursor:
                cursor.execute("CREATE TABLE IF NOT EXISTS only_here (i int)")
            second.commit()
            with first.cursor() as cursor, pytest.raises(psycopg2.errors.UndefinedTable):
                cursor.execute("SELECT * FROM only_here")
        in_io = read_pids(group_folder(place.cpu, IO))
        assert len([pid for pid in in_io if "scheduler.hosts.local.relay" in psutil.Process(pid).cmdline()]) == 2
        usage = opened.host.usage()
        assert set(usage) == set(ROLES)
        assert usage[GUEST_2].in_bytes > 0
        assert usage[IO].in_bytes == usage[GUEST].in_bytes + usage[GUEST_2].in_bytes

    def test_what_is_announced_is_done_and_reads_back_in_both_modes(self, opened):
        for text, mode in (("4:1:1", Mode.CAPS), ("1:2:3", Mode.WEIGHTS), ("1:1:1", Mode.CAPS)):
            params = encode(opened, text, mode)
            for domain, wanted in params.items():
                announced = opened.host.commands(domain, wanted)
                opened.command_log.clear()
                opened.host.write(domain, wanted)
                assert tuple(opened.lines()) == announced
                assert opened.host.read(domain) == wanted

    def test_pauses_take_all_three_out_and_the_next_write_puts_them_in_again(self, opened, place):
        for _ in range(2):
            set_all(opened, encode(opened, "1:1:1", Mode.WEIGHTS))
            assert read_pids(group_folder(place.cpu, GUEST_2))
            restore_originals(opened.host, ABSENT)
            assert opened.snapshot() == opened.before
            with connect_second(opened.host) as second:
                assert PARENT not in groups_of(backend(second))


def test_second_guest_whose_server_ends_is_named_and_a_stranger_in_its_group_is_refused(place, home, made_by_us):
    host = open_host(URL, ignore_command)
    before = LocalSubject().snapshot()
    folder = group_folder(place.cpu, GUEST_2)
    try:
        host.add_guest()
        folder.mkdir(parents=True)
        stranger = subprocess.Popen(["sleep", "60"])
        (folder / "cgroup.procs").write_text(str(stranger.pid), "ascii")
        with pytest.raises(HostBusy, match="domtune/guest-2 holds processes that this sweep did not start"):
            host.boot()
        stranger.kill()
        stranger.wait()
        wait_until(lambda: not read_pids(folder), 5)
        folder.rmdir()
        folder.parent.rmdir()
        host.boot()
        second = psycopg2.connect(host.database.url(GUEST_2), password=host.database.secret(GUEST_2))
        os.kill(psutil.Process(backend(second)).ppid(), signal.SIGKILL)
        second.close()
        wait_until(host.failure_details, 20)
        with pytest.raises(DomainGone, match=r"PostgreSQL .* of the second guest ended by itself"):
            host.usage()
    finally:
        host.close()
    assert LocalSubject().snapshot() == before


VICTIM = """
import json, sys
from scheduler.hosts.host_registry import open_host
from scheduler.model.split import Mode, parse_split
from scheduler.shares.model_lookup import find_share_model
host = open_host("local:", lambda command, answer: None)
host.add_guest()
host.boot()
context = dict(host.context())
model = find_share_model(host.facts().scheduler)
for domain, params in model.encode(parse_split("17:2:1", count=3), Mode.CAPS, 20_000).params.items():
    host.write(domain, params)
print(json.dumps(context), flush=True)
sys.stdin.read()
"""


def test_another_process_takes_all_three_back_after_a_kill(place, home, made_by_us):
    before = LocalSubject().snapshot()
    victim = subprocess.Popen(
        [sys.executable, "-c", VICTIM], cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    context = json.loads(victim.stdout.readline())
    assert Path(group_folder(place.cpu, GUEST_2)).is_dir()
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    reopened = reopen_host(URL, context, ignore_command)
    try:
        restore_originals(reopened, ABSENT)
    finally:
        reopened.close()
    assert LocalSubject().snapshot() == before
