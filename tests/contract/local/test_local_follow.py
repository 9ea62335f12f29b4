"""Following `local:` changes what the groups say, and neither ends nor moves anybody's process, however it ends."""

import subprocess
import sys

import psutil
import pytest

from scheduler import places
from scheduler.commands.pending_restores import reopen_recorded_host, restore_all
from scheduler.errors import DomainGone, HostNotUsable
from scheduler.hosts.host_registry import open_host
from scheduler.hosts.local.cgroup_paths import group_folder
from scheduler.model.spec import Mode
from scheduler.run.journal import UndoJournal
from scheduler.run.lease import FOLLOW_SCOPE, HostLease
from tests.contract.host_contract import DOMAINS, REPO, Opened
from tests.contract.local.subject import URL, groups_of, set_all

# Follows, sets 1:2, says so, and waits to be killed.
VICTIM = """
import sys
from scheduler import places
from scheduler.commands.apply_command import params_for_ratio
from scheduler.commands.pending_restores import reopen_recorded_host
from scheduler.hosts.host_registry import open_host
from scheduler.model.split import split_between
from scheduler.run.lease import FOLLOW_SCOPE, HostLease
host = open_host("local:", lambda command, answer: None)
wanted = params_for_ratio(host, split_between(1.0, 2.0)).params
with HostLease(host, places.journal_dir(), host.facts().host_id, "local:", reopen_recorded_host, FOLLOW_SCOPE) as lease:
    host.follow(100.0)
    lease.apply(wanted)
    print("set", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def theirs(made_by_us, subject, place):
    """Both groups at 1:1, as somebody left them, with a process of theirs in each; yields what can be seen of it."""
    opened = Opened(subject)
    set_all(opened, opened.encodings(Mode.CAPS)[0])
    opened.host.close()
    waiting = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    processes = [subprocess.Popen(waiting, stdin=subprocess.PIPE) for _ in DOMAINS]
    for domain, process in zip(DOMAINS, processes, strict=True):
        for base in {place.cpu, place.cpuacct}:
            group_folder(base, domain).mkdir(parents=True, exist_ok=True)
            group_folder(base, domain).joinpath("cgroup.procs").write_text(str(process.pid))
    yield processes
    for process in processes:
        process.stdin.close()
        process.wait(10)
    for base in {place.cpu, place.cpuacct}:
        for domain in DOMAINS:
            group_folder(base, domain).rmdir()
        group_folder(base, "").rmdir()
    assert subject.snapshot() == opened.before


def stand(processes):
    """Return what somebody else can see of their processes."""
    running = [(process.poll(), psutil.Process(process.pid)) for process in processes]
    return [(ended, groups_of(process.pid), process.cpu_affinity()) for ended, process in running]


def followed(host):
    return HostLease(host, places.journal_dir(), host.facts().host_id, URL, reopen_recorded_host, FOLLOW_SCOPE)


def test_values_change_and_processes_stay(theirs, subject):
    before, stood = subject.snapshot(), stand(theirs)
    opened = Opened(subject)
    split = opened.encodings(Mode.CAPS)[2]
    with followed(opened.host) as lease:
        assert opened.host.follow(100.0) is False
        lease.apply(split)
        assert {domain: opened.host.read(domain) for domain in DOMAINS} == split
        assert set(opened.host.usage()) == set(DOMAINS)
        assert stand(theirs) == stood
    opened.host.close()
    assert stand(theirs) == stood
    assert subject.snapshot() == before


def test_what_a_killed_one_left_is_restored_around_the_processes(theirs, subject):
    before, stood = subject.snapshot(), stand(theirs)
    with subprocess.Popen(
        [sys.executable, "-c", VICTIM], cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as victim:
        assert victim.stdout.readline() == "set\n"
        assert subject.snapshot() != before
        victim.kill()
    assert stand(theirs) == stood
    restored = restore_all()
    assert restored.clean, restored
    assert stand(theirs) == stood
    assert subject.snapshot() == before
    assert not UndoJournal(places.journal_dir(), open_host(URL, lambda *_: None).facts().host_id).path.exists()


def test_group_that_was_removed_is_gone_and_not_made_again(theirs, subject, place):
    host = open_host(URL, lambda *_: None)
    host.follow(100.0)
    params = {domain: host.read(domain) for domain in DOMAINS}
    theirs[1].stdin.close()
    theirs[1].wait(10)
    folder = group_folder(place.cpu, DOMAINS[1])
    folder.rmdir()
    with pytest.raises(DomainGone, match="was removed"):
        host.write(DOMAINS[1], params[DOMAINS[1]])
    host.close()
    assert not folder.exists()
    folder.mkdir()


def test_without_groups_there_is_nothing_to_follow(made_by_us):
    host = open_host(URL, lambda *_: None)
    with pytest.raises(HostNotUsable, match="nothing to follow"):
        host.follow(100.0)
    host.close()
