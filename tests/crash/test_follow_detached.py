"""A detached follow outlives its terminal: it is listed, shown by a window, stopped, killed, and restores its host."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from scheduler.background_runs import FOLLOW, attach_background_runs
from scheduler.commands.arguments import build_parser
from scheduler.commands.follow_background import start_detached
from scheduler.follow.ab_test import Variant
from scheduler.follow.move_decision import FollowBounds
from scheduler.model.observation_documents import FollowStarted, decode_observation_line
from scheduler.run.follow_actor import FollowPlan
from tests.crash.follow_world import LIMITED
from tests.crash.trial import REPO, environment, records_in, wait_for

pytestmark = pytest.mark.crash

_WAIT_S = 120.0  # a host is looked at for half a minute first


def first_static() -> int:
    """Return a seed with which the static split has its turn first: something is set at once."""
    how = {"bounds": FollowBounds(), "static": -0.69, "for_s": 3600.0, "account_pct": 50}
    return next(seed for seed in range(99) if FollowPlan(**how, seed=seed).schedule.at(0.0).arm is Variant.STATIC)


def words_for(file) -> list[str]:
    more = ["--for=1h", "--static=1:2", "--account=50", f"--seed={first_static()}", "--detach"]
    return ["follow", f"fake:{file}", *more]


def domtune(home, *words, **more):
    command = [sys.executable, "-m", "scheduler", *words]
    return subprocess.run(
        command, cwd=REPO, env=environment(home), capture_output=True, text=True, timeout=_WAIT_S, check=False, **more
    )


class Detached:
    """A made-up host that is followed by a process that was detached."""

    def __init__(self, home, name):
        self.home, self.file = home, home / f"{name}.json"
        self.file.write_text(json.dumps({"io": LIMITED, "guest": LIMITED}))
        self.found = self.read()
        command = [sys.executable, "-m", "scheduler", *words_for(self.file), "--yes"]
        self.asker = subprocess.Popen(
            command, cwd=REPO, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def read(self):
        return json.loads(self.file.read_bytes())

    def listed(self):
        """Return its entry of `follow --list`; None when it is not followed."""
        hosts = json.loads(domtune(self.home, "follow", "--list", "--json").stdout)["hosts"]
        return next((host for host in hosts if host["host"] == f"fake:{self.file}"), None)

    def is_back(self):
        return self.read() == self.found and not [path for path in records_in(self.home) if self.file.name in str(path)]


def alive(pid) -> bool:
    """Return whether it runs; where nobody reaps it, it is there still."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def pids():
    """Give a list for processes, which are ended after the test."""
    found = []
    yield found
    for pid in filter(alive, found):
        os.kill(pid, signal.SIGTERM)


def test_detached_follow_goes_on_until_it_is_stopped_or_killed(tmp_path, monkeypatch, pids):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    one, other = hosts = [Detached(tmp_path, name) for name in ("one", "other")]
    for host in hosts:
        said, _ = host.asker.communicate(timeout=_WAIT_S)
        assert host.asker.returncode == 0, said
        assert "Following continues in the background" in said
        assert "of the current throughput" in said or "cannot be estimated" in said  # what was agreed to was said
        reported = host.listed()
        assert f"--stop {reported['host_id']}'" in said
        assert f"as process {reported['pid']}." in said
        pids.append(reported["pid"])
        assert (reported["split"], reported["left_s"] <= 3600) == ({"parts": {"io": 1, "guest": 2}}, True)
    assert [host.read() != host.found for host in hosts] == [True, True]
    assert_windows_attach(hosts, pids)
    stopped = domtune(tmp_path, "follow", "--stop", f"fake:{one.file}")
    assert stopped.returncode == 0, stopped.stderr
    assert "The original settings of both domains are restored and verified." in stopped.stdout
    assert "Stopped by you" in stopped.stdout  # its own last line
    assert one.is_back()
    assert one.listed() is None
    assert other.read() != other.found
    os.kill(pids[1], signal.SIGKILL)
    assert wait_for(other.is_back, _WAIT_S)  # by its local guard
    assert wait_for(lambda: other.listed() is None, _WAIT_S)
    assert not any(map(alive, pids))
    unknown = domtune(tmp_path, "follow", "--stop", "one", "--json")
    assert unknown.returncode == 2
    assert "this account does not follow" in json.loads(unknown.stdout)["error"]
    assert domtune(tmp_path, "follow", "--list").stdout == "This account follows no host.\n"


def assert_windows_attach(hosts, pids):
    """Connect to both follows as the window does, and leave them again."""
    programs = attach_background_runs()
    assert {(program.kind, program.pid) for program in programs} == {(FOLLOW, pid) for pid in pids}
    for program in programs:
        os.set_blocking(program.stdout.fileno(), True)
        began = decode_observation_line(program.stdout.readline())
        assert isinstance(began, FollowStarted)
        assert began.host == f"fake:{hosts[pids.index(program.pid)].file}"
        program.close_pipes()
        program.abandon()
    assert all(map(alive, pids))


def test_follow_without_consent_ends_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    file = tmp_path / "host.json"
    file.write_text(json.dumps({"io": LIMITED, "guest": LIMITED}))
    before = file.read_bytes()
    asked = []

    def leave() -> bool:
        pids = [child.pid for child in psutil.Process().children()]
        asked.extend(pid for pid in pids if f"fake:{file}" in Path(f"/proc/{pid}/cmdline").read_text())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        start_detached(build_parser().parse_args(words_for(file)), leave)
    (pid,) = asked
    assert wait_for(lambda: not alive(pid), _WAIT_S)
    assert file.read_bytes() == before
    assert not records_in(tmp_path)
    assert attach_background_runs() == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("sim:?load=osdb-ir&split=1:1", "--for", "1h", "--yes", "--detach"), "ends with its process"),
        (("fake:x", "--for", "1h", "--yes", "--detach", "--json"), "is for people"),
        (("fake:x", "--for", "1h", "--detach"), "cannot ask for confirmation"),
        ((), "is missing"),
    ],
)
def test_follow_that_cannot_detach_is_refused_at_once(tmp_path, words, why):
    done = domtune(tmp_path, "follow", *words, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert why in done.stderr
    assert not records_in(tmp_path)
