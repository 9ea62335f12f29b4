"""`local:` obeys the laws of hosts, and its own: real control groups, a real relay, a real PostgreSQL."""

import os
import signal
import threading
import time

import pytest

from scheduler.errors import DomainGone, HostBusy, ParameterRefused, SpecError
from scheduler.hosts.host_registry import open_host
from scheduler.hosts.local.cgroup_paths import PARENT
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, parse_split
from scheduler.shares.model_lookup import find_share_model
from tests.contract.host_contract import DOMAINS, HostContract, Opened
from tests.contract.local.subject import (
    URL,
    LocalSubject,
    connect,
    groups_of,
    relay_and_postmaster,
    set_all,
    wait_until,
)
from tests.quiet import until_kept


class TestLocalHost(HostContract):
    @pytest.fixture
    def subject(self):
        return LocalSubject()


def test_both_domains_run_in_their_groups_and_on_the_contended_cpu_only(swept, place):
    with connect(swept) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [backend] = cursor.fetchone()
        pids = relay_and_postmaster()
        for pid, domain in ((pids[IO], IO), (pids[GUEST], GUEST), (backend, GUEST)):
            assert f"/{PARENT}/{domain}\n" in groups_of(pid)
            assert os.sched_getaffinity(pid) == {place.contended_cpu}
    connection.close()


def test_pause_leaves_no_group_and_the_domains_alive_where_they_stood(made_by_us, swept):
    with connect(swept) as connection, connection.cursor() as cursor:
        set_all(swept, swept.encodings(Mode.CAPS)[3])
        swept.put_back()
        assert swept.snapshot() == swept.before
        for pid in relay_and_postmaster().values():
            assert groups_of(pid) == groups_of(os.getpid())
            assert os.sched_getaffinity(pid) == os.sched_getaffinity(0)
        cursor.execute("SELECT 1")
        set_all(swept, swept.encodings(Mode.CAPS)[4])
        cursor.execute("SELECT pg_backend_pid()")
        [backend] = cursor.fetchone()
        assert f"/{PARENT}/{GUEST}\n" in groups_of(backend)
    connection.close()


def test_database_started_again_is_a_new_server_at_the_same_url_in_its_group_with_its_limits(swept):
    wanted = swept.encodings(Mode.CAPS)[3]
    set_all(swept, wanted)
    url, before, used = swept.host.database.url(), relay_and_postmaster(), swept.host.usage()[GUEST]
    swept.host.restart_database()
    after = relay_and_postmaster()
    assert swept.host.database.url() == url
    assert after[IO] == before[IO]
    assert after[GUEST] != before[GUEST]
    assert f"/{PARENT}/{GUEST}\n" in groups_of(after[GUEST])
    assert {domain: swept.host.read(domain) for domain in DOMAINS} == dict(wanted)
    with connect(swept) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [backend] = cursor.fetchone()
        assert f"/{PARENT}/{GUEST}\n" in groups_of(backend)
    connection.close()
    assert swept.host.usage()[GUEST].system_s >= used.system_s


def test_database_may_be_started_again_before_anything_is_limited(subject):
    opened = Opened(subject)
    try:
        opened.host.boot()
        before = relay_and_postmaster()[GUEST]
        opened.host.restart_database()
        assert relay_and_postmaster()[GUEST] != before
    finally:
        opened.host.close()
    assert opened.snapshot() == opened.before


def test_every_byte_is_counted_at_both_domains(swept):
    before = swept.host.usage()
    payload = 3_000_000
    with connect(swept) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT repeat('x', {payload})")
        assert len(cursor.fetchone()[0]) == payload
    connection.close()
    after = swept.host.usage()
    for domain in DOMAINS:
        sent = after[domain].out_bytes - before[domain].out_bytes
        assert payload < sent < 1.01 * payload
        assert 0 < after[domain].in_bytes - before[domain].in_bytes < 10_000
        assert after[domain].memory_bytes > 1_000_000


def busy(connection, seconds):
    with connection.cursor() as cursor:
        deadline_s = time.monotonic() + seconds
        while time.monotonic() < deadline_s:
            cursor.execute("SELECT sum(i) FROM generate_series(1, 20000) i")


@pytest.mark.alone
def test_starved_domain_gets_its_quota_and_reports_that_it_was_throttled(swept):
    params = find_share_model(swept.facts.scheduler).encode(parse_split("4:1"), Mode.CAPS, 20_000).params
    set_all(swept, params)
    assert abs(until_kept(lambda: delivered(swept), lambda got: abs(got - 0.2) <= 0.05) - 0.2) <= 0.05


def delivered(swept):
    """Return how much of a CPU the guest gets while a user keeps it busy; it must be held back meanwhile."""
    connection = connect(swept)
    user = threading.Thread(target=busy, args=(connection, 3.5))
    user.start()
    held_s = swept.host.usage()[GUEST].throttled_s
    wait_until(lambda: swept.host.usage()[GUEST].throttled_s > held_s + 0.1, 3.0)
    first, began_s = swept.host.usage()[GUEST], time.monotonic()
    threading.Event().wait(2.0)
    last, elapsed_s = swept.host.usage()[GUEST], time.monotonic() - began_s
    user.join()
    connection.close()
    assert last.throttled_s > first.throttled_s
    return (last.user_s + last.system_s - first.user_s - first.system_s) / elapsed_s


def test_look_costs_less_than_a_hundredth_of_a_second_of_cpu(swept):
    looks = 20
    began_s = time.thread_time()
    for _ in range(looks):
        swept.host.usage()
    assert (time.thread_time() - began_s) / looks < 0.01


@pytest.mark.parametrize("domain", DOMAINS)
def test_domain_that_dies_is_missed_and_can_be_restored(swept, domain):
    os.kill(relay_and_postmaster()[domain], signal.SIGKILL)
    wait_until(lambda: "ended by itself" in complaint(swept.host), 5.0)


def complaint(host):
    try:
        host.usage()
    except DomainGone as error:
        return str(error)
    return ""


def test_only_one_at_a_time_may_change_this_computer(swept, subject):
    other = subject.open(lambda command, answer: None)
    with pytest.raises(HostBusy, match="another DomTune"):
        other.write(IO, other.baseline(IO))
    with pytest.raises(HostBusy, match="another DomTune"):
        other.boot()
    other.close()


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (CgroupParams(weight=1_000_000), r"cpu\.(shares|weight) cannot be 1000000"),
        (CgroupParams(weight=100, quota_us=999, period_us=20_000), "cannot be 999, only 1000"),
        (CgroupParams(weight=100, quota_us=5_000, period_us=999), r"cannot be 999, only 1000\.\.1000000"),
        (CgroupParams(weight=100, period_us=1_000_001), r"cannot be 1000001, only 1000\.\.1000000"),
    ],
)
def test_refusal_names_the_file_the_value_and_the_range(subject, wrong, named):
    opened = Opened(subject)
    with pytest.raises(ParameterRefused, match=f"domtune/io: .*{named}"):
        opened.host.write(IO, wrong)
    assert opened.command_log == []
    assert opened.snapshot() == opened.before


@pytest.mark.parametrize(
    ("url", "io", "guest", "field"),
    [("local:here", "", "", "host"), (URL, "Domain-0", "", "domains.io"), (URL, "", "db1", "domains.guest")],
)
def test_what_is_not_this_computer_is_refused(url, io, guest, field):
    with pytest.raises(SpecError) as caught:
        open_host(url, lambda command, answer: None, io_domain=io, guest_domain=guest)
    assert caught.value.field == field
