"""Private folders: closed to others, gone when their owner is, whatever ended it."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scheduler.private_folders import PrivateFolder

HOLDER = """
import sys
from scheduler.private_folders import PrivateFolder
print(PrivateFolder("ssh").path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def base(tmp_path, monkeypatch) -> Path:
    """A folder for temporary files of its own, short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def test_only_its_owner_may_look_inside_and_it_goes_when_closed(base):
    folder = PrivateFolder("ssh")
    assert folder.path.parent == base
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    folder.close()
    folder.close()
    assert list(base.iterdir()) == []


def test_what_a_killed_process_left_goes_at_the_next_time_and_a_live_ones_stays(base):
    words = [sys.executable, "-P", "-c", HOLDER]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        left = Path(holder.stdout.readline().strip())
        PrivateFolder("ssh").close()
        assert left.is_dir()
        holder.send_signal(signal.SIGKILL)
        holder.wait(20)
        (left / "err").write_text("")
        PrivateFolder("ssh").close()
        assert not left.exists()


def test_only_folders_of_ours_are_taken_away(base):
    foreign = base / "domtune-ssh-foreign"
    foreign.mkdir(mode=0o755)  # not what we make
    link, target = base / "domtune-ssh-link", base / "target"
    target.mkdir(mode=0o700)
    link.symlink_to(target)
    other = base / "domtune-relay-x"
    other.mkdir(mode=0o700)
    PrivateFolder("ssh").close()
    assert {path.name for path in base.iterdir()} == {foreign.name, link.name, target.name, other.name}


@pytest.mark.skipif(os.geteuid() != 0, reason="giving a folder away needs root")
def test_another_accounts_folder_is_let_be(base):
    theirs = base / "domtune-ssh-theirs"
    theirs.mkdir(mode=0o700)
    os.chown(theirs, 65534, 65534)
    PrivateFolder("ssh").close()
    assert theirs.is_dir()


def test_folder_of_an_older_version_stays_while_its_ssh_runs(base):
    used = base / "domtune-ssh-old"
    used.mkdir(mode=0o700)
    words = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()", f'ControlPath="{used}/s"']
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as ssh:
        ssh.stdout.readline()  # Popen returns within exec(2), when a process may have no command line yet
        PrivateFolder("ssh").close()
        assert used.is_dir()
        ssh.stdin.close()
        ssh.wait(20)
    PrivateFolder("ssh").close()
    assert not used.exists()


def test_folder_taken_for_stale_before_it_was_locked_is_made_again(base, monkeypatch):
    """Two processes begin at once: one looks at the other's folder between its making and its lock."""
    make, taken = tempfile.mkdtemp, []

    def make_and_lose(**options: object) -> str:
        path = make(**options)
        if len(taken) < 2:
            taken.append(path)
            PrivateFolder("ssh").close()  # removes it, as it is not locked yet
        return path

    monkeypatch.setattr(tempfile, "mkdtemp", make_and_lose)
    folder = PrivateFolder("ssh")
    assert folder.path.is_dir()
    assert str(folder.path) not in taken
    folder.close()
    assert list(base.iterdir()) == []


def test_those_who_begin_at_once_do_not_take_each_others_folder(base):
    def held(_: int) -> bool:
        folder = PrivateFolder("ssh")
        there = folder.path.is_dir()
        folder.close()
        return there

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(held, range(60)))
