"""What other processes and killed sweeps left in the groups of `local:`: ended, moved, kept or refused."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import psutil
import pytest

from scheduler.errors import HostBusy
from scheduler.hosts.host_registry import reopen_host
from scheduler.hosts.local.cgroup_paths import PARENT, CgroupPaths
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.run.restore import restore_originals
from tests.contract.host_contract import DOMAINS, REPO, Opened
from tests.contract.local.subject import (
    URL,
    VICTIM,
    baseline,
    groups_of,
    put_back_after_a_kill,
    relay_and_postmaster,
    set_all,
    wait_until,
)


def test_killed_core_takes_its_domains_along_and_the_rest_is_removed_in_5_s(subject):
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


def test_processes_of_a_killed_sweep_that_stay_are_ended(subject):
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


def test_applied_split_is_an_original_that_a_sweep_keeps(made_by_us, subject):
    applied = Opened(subject)
    split = applied.encodings(Mode.CAPS)[1]
    set_all(applied, split)
    applied.host.close()
    try:
        swept = Opened(subject)
        assert swept.originals == split
        swept.host.boot()
        set_all(swept, baseline(swept))
        set_all(swept, swept.encodings(Mode.CAPS)[3])
        swept.put_back()
        swept.host.close()
        assert subject.snapshot() == swept.before
        assert {domain: swept.host.read(domain) for domain in DOMAINS} == split
    finally:
        applied.put_back()
        applied.host.close()
    assert subject.snapshot() == applied.before


@pytest.fixture
def kept(made_by_us, subject):
    """Groups that a sweep finds and keeps, at their default parameters."""
    applied = Opened(subject)
    set_all(applied, baseline(applied))
    applied.host.close()
    yield
    applied.put_back()
    applied.host.close()
    assert subject.snapshot() == applied.before


def test_pause_leaves_groups_that_were_found_as_empty_as_they_were(kept, subject, request):
    swept = Opened(subject)
    request.addfinalizer(swept.host.close)
    swept.host.boot()
    for params in (swept.encodings(Mode.CAPS)[3], baseline(swept)):  # the latter are the originals
        set_all(swept, params)
        assert all(f"/{PARENT}/{domain}\n" in groups_of(pid) for domain, pid in relay_and_postmaster().items())
        restore_originals(swept.host, swept.originals)
        for pid in relay_and_postmaster().values():
            assert groups_of(pid) == groups_of(os.getpid())
            assert os.sched_getaffinity(pid) == os.sched_getaffinity(0)
        assert subject.snapshot() == swept.before


def test_host_original_is_an_applied_split_and_the_kernels_defaults_without_one(made_by_us, subject):
    applied = Opened(subject)
    defaults, split = baseline(applied), applied.encodings(Mode.CAPS)[1]
    assert all(params.quota_us is None for params in defaults.values())
    set_all(applied, split)
    applied.host.close()
    try:
        swept = Opened(subject)
        try:
            assert baseline(swept) == split
            for params in (swept.encodings(Mode.CAPS)[3], baseline(swept)):
                set_all(swept, params)
            assert baseline(swept) == split
            restore_originals(swept.host, swept.originals)
            assert baseline(swept) == split  # after a pause, too
            assert subject.snapshot() == swept.before
        finally:
            swept.host.close()
    finally:
        applied.put_back()
        applied.host.close()
    again = Opened(subject)
    assert baseline(again) == defaults
    again.host.close()


def test_stranger_in_groups_that_are_kept_holds_no_restore_up(kept, subject, place):
    found = Opened(subject)
    context = found.host.context()
    found.host.close()
    folder = Path(place.cpu, PARENT, GUEST)
    with subprocess.Popen(["sleep", "60"]) as stranger:
        try:
            (folder / "cgroup.procs").write_text(str(stranger.pid))
            again = reopen_host(URL, context, lambda command, answer: None)
            restore_originals(again, found.originals)
            again.close()
            assert stranger.poll() is None
        finally:
            stranger.kill()
    wait_until(lambda: not (folder / "cgroup.procs").read_text(), 5.0)


def test_what_a_failed_first_write_left_is_reverted(made_by_us, subject, place):
    opened = Opened(subject)
    Path(place.cpu, PARENT).mkdir()
    reopened = reopen_host(URL, {**opened.host.context(), "found": "{}"}, lambda command, answer: None)
    assert f"rmdir {Path(place.cpu, PARENT)}" in reopened.commands(IO, None)
    for domain in DOMAINS:
        reopened.write(domain, None)
    reopened.close()
    assert subject.snapshot() == opened.before


def test_group_with_another_elses_process_is_left_alone(subject, place):
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


def test_context_is_all_there_is_to_know(subject, place):
    context = subject.open(lambda command, answer: None).context()
    assert msgspec.json.decode(context["place"], type=CgroupPaths) == place
