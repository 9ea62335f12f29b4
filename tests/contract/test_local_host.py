"""`local:` obeys the laws of hosts, and its own: real control groups, a real relay, a real PostgreSQL."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import msgspec
import psutil
import psycopg2
import pytest

from scheduler.errors import DomainGone, HostBusy, HostNotUsable, ParameterRefused, SpecError
from scheduler.hosts.local.place import PARENT, Place
from scheduler.hosts.local.rights import find_place
from scheduler.hosts.registry import open_host, reopen_host
from scheduler.model.params import CgroupParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, parse_split
from scheduler.shares.registry import model_for
from tests.contract.host_contract import DOMAINS, REPO, HostContract, Opened
from tests.crash import world

URL = "local:"

# A core that dies: it limits its domains, says so, and waits to be killed.
VICTIM = """
import json, sys
from scheduler.hosts.registry import open_host
from scheduler.model.params import CgroupParams
from scheduler.model.split import GUEST, IO
host = open_host("local:", lambda command, answer: None)
host.boot()
context = dict(host.context())
for domain in (IO, GUEST):
    base = host.baseline(domain)
    host.write(domain, base)
    host.write(domain, CgroupParams(base.weight, 1_000 if domain == GUEST else 19_000, 20_000))
print(json.dumps(context), flush=True)
sys.stdin.read()
"""


class LocalSubject:
    """This computer."""

    url = URL

    def open(self, ledger):
        return open_host(URL, ledger)

    def snapshot(self):
        # Ours, and the folder they are in: other programs make and remove groups of theirs all the time.
        base = find_place().cpu
        return {path: text for path, text in world.control_groups().items() if path == base or f"/{PARENT}" in path}


@pytest.fixture(scope="module", autouse=True)
def place():
    try:
        return find_place()
    except HostNotUsable as error:
        pytest.skip(f"{error} {error.hint}")


@pytest.fixture(scope="module", autouse=True)
def home():
    folder = Path(tempfile.mkdtemp(prefix="domtune-host-"))
    folder.chmod(0o755)  # the server's account must be able to enter
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOMTUNE_HOME", str(folder))
        yield folder
    shutil.rmtree(folder)
    assert psutil.Process().children() == []


@pytest.fixture
def made_by_us(place):
    """For what happens to groups that were not there before."""
    if Path(place.cpu, PARENT).exists():
        pytest.skip("the control groups were made by the helper, and are kept")


@pytest.fixture
def subject():
    return LocalSubject()


@pytest.fixture
def swept(subject):
    """A booted host at its baseline, as a sweep has it."""
    opened = Opened(subject)
    try:
        opened.host.boot()
        set_all(opened, baseline(opened))
        yield opened
        opened.put_back()
    finally:
        opened.host.close()
    assert opened.snapshot() == opened.before


def baseline(opened):
    return {domain: opened.host.baseline(domain) for domain in DOMAINS}


def set_all(opened, params):
    for domain, wanted in params.items():
        opened.host.write(domain, wanted)
        assert opened.host.read(domain) == wanted


def connect(opened):
    return psycopg2.connect(opened.host.database_url(), password=opened.host.database_secret(), connect_timeout=10)


def groups_of(pid):
    return Path(f"/proc/{pid}/cgroup").read_text()


def wait_until(fine, limit_s):
    deadline_s = time.monotonic() + limit_s
    while not fine():
        assert time.monotonic() < deadline_s, f"not within {limit_s} s"
        threading.Event().wait(0.01)


def relay_and_postmaster(root=None):
    """Return the two domains' first processes, found as a stranger would."""
    pids = {}
    for process in psutil.Process(root).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            words = process.cmdline()
            if "scheduler.hosts.local.relay" in words:
                pids[IO] = process.pid
            elif words and Path(words[0]).name == "postgres" and "-D" in words:
                pids[GUEST] = process.pid
    return pids


class TestLocalHost(HostContract):
    @pytest.fixture
    def subject(self):
        return LocalSubject()


def test_that_both_domains_run_in_their_groups_and_on_the_contended_cpu_only(swept, place):
    with connect(swept) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [backend] = cursor.fetchone()
        pids = relay_and_postmaster()
        for pid, domain in ((pids[IO], IO), (pids[GUEST], GUEST), (backend, GUEST)):
            assert f"/{PARENT}/{domain}\n" in groups_of(pid)
            assert os.sched_getaffinity(pid) == {place.contended_cpu}
    connection.close()


def test_that_a_pause_leaves_no_group_and_the_domains_alive_where_they_stood(made_by_us, swept):
    with connect(swept) as connection, connection.cursor() as cursor:
        set_all(swept, swept.encodings(Mode.PARTITION)[3])
        swept.put_back()
        assert swept.snapshot() == swept.before
        for pid in relay_and_postmaster().values():
            assert groups_of(pid) == groups_of(os.getpid())
            assert os.sched_getaffinity(pid) == os.sched_getaffinity(0)
        cursor.execute("SELECT 1")
        set_all(swept, swept.encodings(Mode.PARTITION)[4])
        cursor.execute("SELECT pg_backend_pid()")
        [backend] = cursor.fetchone()
        assert f"/{PARENT}/{GUEST}\n" in groups_of(backend)
    connection.close()


def test_that_every_byte_is_counted_at_both_domains(swept):
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


def test_that_a_starved_domain_gets_its_quota_and_says_that_it_was_held_back(swept):
    params = model_for(swept.facts.scheduler).encode(parse_split("4:1"), Mode.PARTITION, 20_000).params
    connection = connect(swept)
    set_all(swept, params)
    user = threading.Thread(target=busy, args=(connection, 3.5))
    user.start()
    wait_until(lambda: swept.host.usage()[GUEST].throttled_s > 0.1, 3.0)
    first, began_s = swept.host.usage()[GUEST], time.monotonic()
    threading.Event().wait(2.0)
    last, elapsed_s = swept.host.usage()[GUEST], time.monotonic() - began_s
    user.join()
    connection.close()
    delivered = (last.user_s + last.system_s - first.user_s - first.system_s) / elapsed_s
    assert abs(delivered - 0.2) <= 0.05
    assert last.throttled_s > first.throttled_s


def test_that_a_look_costs_less_than_a_hundredth_of_a_second_of_cpu(swept):
    looks = 20
    began_s = time.thread_time()
    for _ in range(looks):
        swept.host.usage()
    assert (time.thread_time() - began_s) / looks < 0.01


@pytest.mark.parametrize("domain", DOMAINS)
def test_that_a_domain_that_dies_is_missed_and_can_be_put_back(swept, domain):
    os.kill(relay_and_postmaster()[domain], signal.SIGKILL)
    wait_until(lambda: "ended by itself" in complaint(swept.host), 5.0)


def complaint(host):
    try:
        host.usage()
    except DomainGone as error:
        return str(error)
    return ""


def put_back_after_a_kill(context, originals):
    """Restore as another process would; return how long it took, in seconds."""
    began_s = time.monotonic()
    host = reopen_host(URL, context, lambda command, answer: None)
    for domain, original in originals.items():
        host.write(domain, original)
        assert host.read(domain) == original
    host.close()
    return time.monotonic() - began_s


def test_that_a_killed_core_takes_its_domains_along_and_the_rest_is_removed_in_5_s(subject):
    found = Opened(subject)
    with subprocess.Popen(
        [sys.executable, "-c", VICTIM], cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as core:
        context = msgspec.json.decode(core.stdout.readline())
        assert subject.snapshot() != found.before
        domains = [psutil.Process(pid) for pid in relay_and_postmaster(core.pid).values()]
        assert len(domains) == 2
        core.kill()
    assert put_back_after_a_kill(context, found.originals) < 5.0
    assert subject.snapshot() == found.before
    wait_until(lambda: not any(process.is_running() for process in domains), 10.0)


def test_that_processes_of_a_killed_sweep_that_stay_are_ended(subject):
    opened = Opened(subject)
    opened.host.boot()
    context = opened.host.context()
    set_all(opened, baseline(opened))
    opened.host.write(GUEST, CgroupParams(opened.host.baseline(GUEST).weight, 1_000, 20_000))
    pids = relay_and_postmaster()
    announced = [
        line
        for domain, original in opened.originals.items()
        for line in reopen_host(URL, context, lambda command, answer: None).commands(domain, original)
    ]
    opened.host._claim.release()  # as a process that is killed does
    assert put_back_after_a_kill(context, opened.originals) < 5.0
    opened.host.close()
    assert {f"kill -TERM {pid}" for pid in pids.values()} <= set(announced)
    assert subject.snapshot() == opened.before


def test_that_an_applied_split_is_an_original_that_a_sweep_keeps(made_by_us, subject):
    applied = Opened(subject)
    split = applied.encodings(Mode.PARTITION)[1]
    set_all(applied, split)
    applied.host.close()
    try:
        swept = Opened(subject)
        assert swept.originals == split
        swept.host.boot()
        set_all(swept, baseline(swept))
        set_all(swept, swept.encodings(Mode.PARTITION)[3])
        swept.put_back()
        swept.host.close()
        assert subject.snapshot() == swept.before
        assert {domain: swept.host.read(domain) for domain in DOMAINS} == split
    finally:
        applied.put_back()
        applied.host.close()
    assert subject.snapshot() == applied.before


def test_that_what_a_failed_first_write_left_is_taken_back(made_by_us, subject, place):
    opened = Opened(subject)
    Path(place.cpu, PARENT).mkdir()
    reopened = reopen_host(URL, {**opened.host.context(), "found": "{}"}, lambda command, answer: None)
    assert f"rmdir {Path(place.cpu, PARENT)}" in reopened.commands(IO, None)
    for domain in DOMAINS:
        reopened.write(domain, None)
    reopened.close()
    assert subject.snapshot() == opened.before


def test_that_only_one_at_a_time_may_change_this_computer(swept, subject):
    other = subject.open(lambda command, answer: None)
    with pytest.raises(HostBusy, match="another DomTune"):
        other.write(IO, other.baseline(IO))
    with pytest.raises(HostBusy, match="another DomTune"):
        other.boot()
    other.close()


def test_that_a_group_with_somebody_elses_process_is_left_alone(subject, place):
    applied = Opened(subject)
    set_all(applied, baseline(applied))
    applied.host.close()
    with subprocess.Popen(["sleep", "60"]) as stranger:
        folder = Path(place.cpu, PARENT, GUEST)
        try:
            (folder / "cgroup.procs").write_text(str(stranger.pid))
            host = subject.open(lambda command, answer: None)
            for attempt in (
                host.boot,
                lambda: host.write(GUEST, host.baseline(GUEST)),
                lambda: host.write(GUEST, None),
            ):
                with pytest.raises(HostBusy, match=str(stranger.pid)):
                    attempt()
            host.close()
            again = reopen_host(URL, applied.host.context(), lambda command, answer: None)
            with pytest.raises(HostBusy, match=str(stranger.pid)):
                again.write(GUEST, None)
            again.close()
            assert stranger.poll() is None
        finally:
            stranger.kill()
    wait_until(lambda: not (folder / "cgroup.procs").read_text(), 5.0)
    applied.put_back()
    applied.host.close()
    assert subject.snapshot() == applied.before


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (CgroupParams(weight=1_000_000), r"cpu\.(shares|weight) cannot be 1000000"),
        (CgroupParams(weight=100, quota_us=999, period_us=20_000), "cannot be 999, only 1000"),
        (CgroupParams(weight=100, quota_us=5_000, period_us=999), r"cannot be 999, only 1000\.\.1000000"),
        (CgroupParams(weight=100, period_us=1_000_001), r"cannot be 1000001, only 1000\.\.1000000"),
    ],
)
def test_that_a_refusal_names_the_file_the_value_and_the_range(subject, wrong, named):
    opened = Opened(subject)
    with pytest.raises(ParameterRefused, match=f"domtune/io: .*{named}"):
        opened.host.write(IO, wrong)
    assert opened.ledger == []
    assert opened.snapshot() == opened.before


@pytest.mark.parametrize(
    ("url", "io", "guest", "field"),
    [("local:here", "", "", "host"), (URL, "Domain-0", "", "domains.io"), (URL, "", "db1", "domains.guest")],
)
def test_that_what_is_not_this_computer_is_refused(url, io, guest, field):
    with pytest.raises(SpecError) as caught:
        open_host(url, lambda command, answer: None, io_domain=io, guest_domain=guest)
    assert caught.value.field == field


def test_that_the_context_is_all_there_is_to_know(subject, place):
    context = subject.open(lambda command, answer: None).context()
    assert msgspec.json.decode(context["place"], type=Place) == place
