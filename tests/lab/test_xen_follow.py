"""Following the Xen lab from caps of an administrator while its database is used; then its process is killed."""

import contextlib
import math
import signal
import subprocess
import sys

import pytest

from scheduler import places
from scheduler.commands.exit_codes import ExitCode
from scheduler.model.observation_documents import (
    FollowDone,
    FollowEnd,
    FollowMove,
    FollowStarted,
    decode_observation_line,
)
from tests.lab.busy import busy
from tests.lab.guard_lab import DOM0_ALIAS, ROUND_S
from tests.lab.watched import ratio

HOST = f"xl+ssh://{DOM0_ALIAS}"
CAPS = 75, 15  # the I/O domain's and the guest's, as an administrator would leave them: 5:1
RANGE = "1:1..5:1"  # with a quarter of the CPU an emulated Dom0 hardly answers
BACK_S = 180.0  # the guard waits for its process as long as for one that is slow

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1_800)]


@pytest.fixture(scope="module")
def used(xen_known):
    """The lab with caps of its administrator, and users."""
    up, dom0 = xen_known
    number, _ = dom0.guest()
    before = dom0.values()
    cap(dom0, number, *CAPS)
    with busy(up["database_url"]):
        yield dom0, number
    cap(dom0, number, 0, 0)
    assert dom0.values() == before


def cap(dom0, number, io_pct, guest_pct):
    each = "xl sched-credit2 -d {} -c {}"
    dom0.run(" && ".join(each.format(*pair) for pair in ((0, io_pct), (number, guest_pct))))


@contextlib.contextmanager
def following():
    """Yield a process that follows the lab, and its lines."""
    words = ["follow", HOST, "--for", "1h", "--range", RANGE, "--account", "0", "--yes", "--json"]
    with subprocess.Popen([sys.executable, "-m", "scheduler", *words], stdout=subprocess.PIPE) as process:
        try:
            yield process, map(decode_observation_line, process.stdout)
        finally:
            process.kill()


def moved(lines):
    """Return the first line, and that of the first move."""
    began = next(lines)
    assert isinstance(began, FollowStarted), began
    for line in lines:
        print(line)
        if isinstance(line, FollowMove):
            return began, line
    raise AssertionError("it ended without a move")


def test_caps_are_followed_and_restored_when_it_is_reported_to_end(used):
    dom0, number = used
    found = dom0.values()
    with following() as (process, lines):
        began, move = moved(lines)
        assert (began.split.label, began.guarded_by, began.simulated) == ("5:1", "guard", False)
        assert 1 <= ratio(move.after.label) < ratio("5:1")
        caps = [dom0.values()[domain][1] for domain in (0, number)]
        assert math.isclose(caps[0] / caps[1], ratio(move.after.label), rel_tol=0.1)
        assert sum(caps) <= sum(CAPS)
        process.send_signal(signal.SIGTERM)
        *_, done = lines
        assert process.wait(ROUND_S) == ExitCode.ABORTED
    assert isinstance(done, FollowDone)
    assert (done.end, done.restored, done.moves) == (FollowEnd.USER, True, 1), done
    assert dom0.values() == found
    assert not list(places.journal_dir().glob("*.json"))


def test_guard_gives_the_caps_back_when_its_process_is_killed(used):
    dom0, number = used
    found = dom0.values()
    with following() as (process, lines):
        moved(lines)
        assert dom0.values() != found
        process.kill()
    io, guest = (f"xl sched-credit2 -d {domain} | awk 'END {{print $NF}}'" for domain in (0, number))
    back = f'[ "$({io})" = {CAPS[0]} ] && [ "$({guest})" = {CAPS[1]} ]'
    dom0.wait_for(back, BACK_S, "the caps are not given back")
    assert dom0.values() == found
    restore = [sys.executable, "-m", "scheduler", "restore", "--json"]
    assert subprocess.run(restore, stdout=subprocess.DEVNULL, check=False).returncode == 0
    assert not list(places.journal_dir().glob("*.json"))
