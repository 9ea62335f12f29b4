"""Watching and following the LXC lab while its database is used: no sweep, somebody else's limits."""

import json
import math
import os

import psutil
import pytest

from scheduler.model.codec import make_decoder
from scheduler.model.observation_documents import FollowDone, FollowEnd, FollowMove
from scheduler.store.observation_summary import ObservationRecord
from tests.lab.busy import busy
from tests.lab.lxc_lab import wait_until
from tests.lab.watched import Watching, named, ratio

IO_END, GUEST_END = "5:1", "1:5"
TOGETHER_US = 40_000  # of 100,000: what other lanes leave of the CPU does not decide
FOLLOWED_S = 180.0

pytestmark = [pytest.mark.lab, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def used(lxc_lab):
    """The lab with limits of its administrator, at the I/O domain's end, and users; as found afterwards."""
    up = lxc_lab.tell("up")
    assert up["state"] == "up"
    assert lxc_lab.as_found()
    share = ratio(IO_END) / (1 + ratio(IO_END))
    clients = sorted(os.sched_getaffinity(0))[1:]  # the containers have the first CPU
    with busy(up["database_url"], lxc_lab.password(), cpus=clients):
        lxc_lab.limit(round(TOGETHER_US * share), round(TOGETHER_US * (1 - share)))
        yield lxc_lab, up["host_url"]
    lxc_lab.limit(-1, -1)
    assert lxc_lab.as_found()
    assert not lxc_lab.records()


@pytest.fixture(scope="module")
def followed(used):
    """The same at the other end, set as a person would, and about to be followed; taken back afterwards."""
    lab, url = used
    limits = lab.groups()
    done = lab.domtune("apply", url, "--split", GUEST_END)
    assert done.returncode == 0, done.stderr
    # It looks for half a minute, and gathers for as long, before it sets anything.
    with lab.begin("follow", url, "--for", "1h", "--yes", "--detach") as asker:
        yield lab, url, asker
    taken = lab.domtune("revert", url)
    assert taken.returncode == 0, taken.stderr
    assert lab.groups() == limits


def test_watching_names_less_for_the_io_domain_where_it_has_most_and_writes_nothing(used):
    lab, url = used
    before = lab.written()
    answer = watched(lab, url)
    assert lab.written() == before
    assert (answer.present.label, answer.mode, answer.outlook) == (IO_END, "caps", "static")
    assert 1 / ratio(IO_END) < named(answer) < ratio(IO_END)
    assert (answer.gain_frac or 0.0) > 0.02


def test_watching_names_more_for_the_io_domain_where_it_has_least_and_writes_nothing(followed):
    lab, url, _ = followed
    before = lab.written()
    answer = watched(lab, url)
    assert lab.written() == before
    assert (answer.present.label, answer.mode, answer.outlook) == (GUEST_END, "caps", "static")
    assert ratio(GUEST_END) < named(answer) < 1 / ratio(GUEST_END)
    assert (answer.gain_frac or 0.0) > 0.02


def test_what_was_detached_gives_the_io_domain_more_until_it_is_reported_to_give_the_host_back(followed):
    lab, _, asker = followed
    found = lab.groups()
    said, error = asker.communicate(timeout=FOLLOWED_S)
    assert asker.returncode == 0, error
    assert "Following continues in the background" in said
    [reported] = listed(lab)
    wait_until(lambda: any(isinstance(line, FollowMove) for line in stored(lab, reported).lines), FOLLOWED_S)
    moved = lab.groups()
    assert lab.records()
    assert keepers(reported["pid"])
    stopped = lab.domtune("follow", "--stop", reported["host_id"])
    assert stopped.returncode == 0, stopped.stderr
    assert "The original settings of both domains are restored and verified." in stopped.stdout
    assert lab.groups() == found
    assert not lab.records()
    assert listed(lab) == []
    assert not keepers(reported["pid"])
    record = stored(lab, reported)
    began, done = record.started, record.last
    assert (began.split.label, began.guarded_by, began.simulated) == (GUEST_END, "local_guard", False)
    move = next(line for line in record.lines if isinstance(line, FollowMove))
    print(move)
    assert ratio(GUEST_END) < ratio(move.after.label) < 1 / ratio(GUEST_END)
    quotas = [int(moved[name]["cpu.cfs_quota_us"]) for name in ("io", "db")]
    assert math.isclose(quotas[0] / quotas[1], ratio(move.after.label), rel_tol=0.1)
    assert sum(quotas) <= TOGETHER_US
    assert isinstance(done, FollowDone)
    assert (done.end, done.restored, done.moves) == (FollowEnd.USER, True, 1)


def watched(lab, url):
    with Watching(url, lab.environment) as watching:
        watching.begun()
        return watching.answer()


def stored(lab, reported):
    """Return the run that records a followed host."""
    return make_decoder(ObservationRecord).decode(lab.domtune("runs", reported["run"], "--json").stdout)


def listed(lab):
    """Return what `follow --list` says."""
    return json.loads(lab.domtune("follow", "--list", "--json").stdout)["hosts"]


def keepers(pid):
    """Return the processes that would give the host back if that one died."""
    words = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    return [each for each in words if str(pid) in each and any("local_guard_process.py" in word for word in each)]
