"""`local:` places its groups on sets of CPUs, reads them back from the kernel, and leaves nothing of it."""

import os
import subprocess
import sys

import psutil
import pytest

from scheduler.errors import HostError, ParameterRefused
from scheduler.hosts.host_registry import ignore_command, open_host, reopen_host
from scheduler.hosts.local.cgroup_paths import group_folder
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import UndoJournal
from scheduler.run.lease import restore_from_record
from tests.contract.host_contract import DOMAINS, REPO
from tests.contract.local.subject import URL, LocalSubject, connect, relay_and_postmaster, wait_until
from tests.contract.local.test_local_vcpus import WithoutSets, booted, cpus_of
from tests.lacking import lacking
from tests.volume import deep

IO_PLACE, GUEST_PLACE = PLACE_SLOTS[IO], PLACE_SLOTS[GUEST]
ANY = PlacementParams(((),))
PERIOD_US = 20_000


@pytest.fixture
def pair(place):
    """Two CPUs that DomTune may use."""
    if len(place.cpus) < 2:
        lacking("two CPUs that DomTune may use")
    return tuple(sorted(place.cpus[:2]))


def on(*cpus):
    return PlacementParams((cpus,))


def settings_of(host, first, second):
    """Return the three modes of two CPUs: caps over both, weights over both, and one CPU for each domain."""
    base = host.baseline(IO)
    both = {IO_PLACE: on(first, second), GUEST_PLACE: on(first, second)}
    caps = {IO: CgroupParams(base.weight, 9_600, PERIOD_US), GUEST: CgroupParams(base.weight, 28_800, PERIOD_US)}
    weights = {IO: CgroupParams(base.weight), GUEST: CgroupParams(3 * base.weight)}
    apart = {IO_PLACE: on(first), GUEST_PLACE: on(second)}
    return {"caps": {**both, **caps}, "weights": {**both, **weights}, "dedicated": {**apart, IO: base, GUEST: base}}


def set_and_check(opened, params):
    """Set parameters as the lease does, and look at the kernel's affinity of each first process."""
    for slot, wanted in params.items():
        announced = opened.host.commands(slot, wanted)
        opened.host.write(slot, wanted)
        assert opened.host.read(slot) == wanted
        assert announced or opened.host.commands(slot, wanted) == ()
    pids = relay_and_postmaster()
    for domain in DOMAINS:
        assert cpus_of(pids[domain]) == params[PLACE_SLOTS[domain]].vcpus[0]
    with connect(opened) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [backend] = cursor.fetchone()
        assert cpus_of(backend) == params[GUEST_PLACE].vcpus[0]
    connection.close()


@pytest.mark.parametrize("subject", [LocalSubject(), WithoutSets()], ids=["sets", "affinity"])
def test_three_modes_of_two_cpus_are_set_read_back_and_reverted(subject, pair):
    with booted(subject) as opened:
        assert opened.facts.placement.choices >= pair
        assert {cpu.number for cpu in opened.facts.topology} >= set(pair)
        for params in settings_of(opened.host, *pair).values():
            set_and_check(opened, params)
        opened.host.write(IO_PLACE, None)
        assert opened.host.read(IO_PLACE) == on(pair[0])
        assert cpus_of(relay_and_postmaster()[IO]) == (pair[0],)


def test_default_stays_one_shared_cpu_and_the_baseline_any_cpu(pair):
    with booted(LocalSubject()) as opened:
        host = opened.host
        assert opened.facts.shared_cpus == (pair[0],)
        host.write(IO, host.baseline(IO))
        assert host.read(IO_PLACE) == on(pair[0])
        host.write(IO_PLACE, host.baseline(IO_PLACE))
        assert host.read(IO_PLACE) == host.baseline(IO_PLACE) == ANY
        assert cpus_of(relay_and_postmaster()[IO]) == opened.facts.placement.choices


def test_load_on_the_shared_cpus_is_not_counted_as_other_programs(pair):
    with booted(LocalSubject()) as opened:
        host = opened.host
        alone = host.cpu_usage()
        for slot, wanted in settings_of(host, *pair)["dedicated"].items():
            host.write(slot, wanted)
        both = host.cpu_usage()
    assert alone.busy_s is not None
    assert (both.busy_s, both.stolen_s >= alone.stolen_s) == (None, True)


def test_group_that_only_a_placement_needed_goes_with_it(pair):
    with booted(LocalSubject()) as opened:
        host = opened.host
        for slot in (IO_PLACE, GUEST_PLACE):
            announced = host.commands(slot, on(pair[1]))
            opened.command_log.clear()
            host.write(slot, on(pair[1]))
            assert opened.lines() == list(announced)
        for slot in (IO_PLACE, GUEST_PLACE):
            announced = host.commands(slot, ANY)
            opened.command_log.clear()
            host.write(slot, ANY)
            assert opened.lines() == list(announced)
            assert host.read(slot) == ANY
        assert opened.snapshot() == opened.before


@pytest.mark.parametrize(
    ("params", "told"),
    [
        (PlacementParams(((0, 4000),)), "cannot run on CPU 4000"),
        (PlacementParams(((0,), (0,))), "one set of CPUs and nothing else"),
        (PlacementParams(((0,),), emulator=(0,)), "one set of CPUs and nothing else"),
        (CgroupParams(100), "takes placement parameters, not cgroup"),
    ],
)
def test_wrong_placement_is_refused_and_nothing_is_touched(pair, params, told):
    with booted(LocalSubject()) as opened, pytest.raises(ParameterRefused, match=told):
        opened.host.write(GUEST_PLACE, params)


def test_nothing_is_placed_before_anything_runs(pair):
    host = open_host(URL, ignore_command)
    with pytest.raises(HostError, match="nothing runs in it yet"):
        host.write(IO_PLACE, on(*pair))
    assert host.read(IO_PLACE) == ANY
    host.close()


def test_commands_before_the_start_have_the_placement_in_the_lines_of_the_group(pair, place):
    host = open_host(URL, ignore_command)
    for cpus in (pair, pair[1:]):
        assert host.commands(IO_PLACE, on(*cpus)) == ()
        lines = host.commands(IO, host.baseline(IO))
        confining = [line for line in lines if line.endswith("/io/cpuset.cpus") or line.startswith("taskset")]
        assert len(confining) == 1
        assert ",".join(map(str, cpus)) in confining[0].split()
    host.close()


def test_cpus_that_another_program_sets_are_read_back(pair, place):
    if not place.cpuset:
        lacking("CPU sets that can be used")
    with booted(LocalSubject()) as opened:
        opened.host.write(GUEST_PLACE, on(*pair))
        (group_folder(place.cpuset, GUEST) / "cpuset.cpus").write_text(str(pair[1]), "ascii")
        assert opened.host.read(GUEST_PLACE) == on(pair[1])


def test_restarted_database_and_a_pause_keep_the_placement_apart(pair):
    with booted(LocalSubject()) as opened:
        host = opened.host
        host.write(GUEST_PLACE, on(pair[1]))
        host.restart_database()
        assert cpus_of(relay_and_postmaster()[GUEST]) == (pair[1],)
        opened.put_back()
        host.write(GUEST_PLACE, ANY)
        assert opened.snapshot() == opened.before
        assert cpus_of(relay_and_postmaster()[GUEST]) == tuple(sorted(os.sched_getaffinity(0)))
        host.write(GUEST, host.baseline(GUEST))
        assert host.read(GUEST_PLACE) == ANY
        host.write(GUEST_PLACE, None)
        assert cpus_of(relay_and_postmaster()[GUEST]) == (pair[0],)


# A core that places its domains by a lease, and dies after a number of commands on the host.
VICTIM = """
import os, signal, sys
from pathlib import Path
from scheduler.hosts.host_registry import open_host
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.split import GUEST, IO
from scheduler.run.lease import HostLease, LeaseScope
folder, left, first, second = sys.argv[1], *map(int, sys.argv[2:])
def die(command, answer):
    global left
    left -= 1
    if left == 0:
        print("killed", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
host = open_host("local:", lambda *_: None)
host.boot()
host._command_log = die
slots = (PLACE_SLOTS[IO], PLACE_SLOTS[GUEST], IO, GUEST)
base = host.baseline(IO)
with HostLease(host, Path(folder), host.facts().host_id, "local:", None, LeaseScope(slots)) as lease:
    for io, guest in (((first, second), (first, second)), ((first,), (second,))):
        lease.apply({
            PLACE_SLOTS[IO]: PlacementParams((io,)), PLACE_SLOTS[GUEST]: PlacementParams((guest,)),
            IO: CgroupParams(base.weight, 9_600, 20_000), GUEST: CgroupParams(base.weight, 28_800, 20_000),
        })
print("done", flush=True)
host.close()
"""


def kill_after(folder, commands, pair):
    """Return the last word of a core that is killed after so many commands on the host."""
    words = [sys.executable, "-c", VICTIM, str(folder), str(commands), *map(str, pair)]
    done = subprocess.run(words, cwd=REPO, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("commands", range(1, 43) if deep() else (6, 19, 26, 33))
def test_restore_after_a_kill_at_each_step_leaves_no_mask(pair, home, made_by_us, tmp_path, commands):
    before = LocalSubject().snapshot()
    said = kill_after(tmp_path, commands, pair)
    assert said == "killed" or deep()
    [record] = tmp_path.glob("*.json") if said == "killed" else [None]
    if record is not None:
        journal = UndoJournal(tmp_path, record.stem)
        undo = journal.read()
        assert undo.originals == {IO_PLACE: ANY, GUEST_PLACE: ANY, IO: None, GUEST: None}
        restore_from_record(undo, journal, lambda undo: reopen_host(undo.host_url, undo.context, ignore_command))
    assert LocalSubject().snapshot() == before
    assert not list(tmp_path.glob("*.json"))
    wait_until(lambda: not still_running(home), 10.0)


def still_running(home):
    """Return the processes of a killed core that have not ended yet."""
    return [each.pid for each in psutil.process_iter(["cmdline"]) if str(home) in " ".join(each.info["cmdline"] or [])]
