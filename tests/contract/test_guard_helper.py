"""What `domtune host-setup` writes, installed for a real account: it can sweep, and it can do nothing else as root."""

import os
import secrets
import shutil
import subprocess
from pathlib import Path

import pytest

from scheduler.errors import HostNotUsable, SpecError
from scheduler.hosts.remote.guard import Guard
from scheduler.hosts.remote.guard_helper import setup_files
from scheduler.hosts.remote.guard_program import HelperPlace
from scheduler.hosts.remote.local_shell import LocalShell
from tests.guard_world import GUEST, MARGIN_S, ORIGINAL, TTL_S, made_world, wait_for
from tests.lacking import lacking


class AccountShell:
    """This computer as another account sees it."""

    def __init__(self, account):
        self._shell = LocalShell()
        self._account = account
        self.where = f"{account}@here"

    def run(self, argv, *, timeout_s=20.0, stdin=""):
        return self._shell.run(["runuser", "-u", self._account, "--", *argv], timeout_s=timeout_s, stdin=stdin)

    def close(self):
        self._shell.close()


@pytest.fixture
def world():
    with made_world() as made:
        made.folder.chmod(0o755)  # sudo looks for programs before it becomes root
        yield made


@pytest.fixture
def account():
    if os.geteuid() != 0:
        pytest.skip("making an account and a sudo rule needs root")
    name = f"domtune-{secrets.token_hex(3)}"
    # One that no process of another worker has: userdel leaves an account whose number is in use.
    number = str(200_000 + os.getpid())
    words = ["useradd", "--system", "--uid", number, "--no-create-home", "--shell", "/bin/sh", name]
    subprocess.run(words, check=True)
    yield name
    subprocess.run(["userdel", name], check=True)


@pytest.fixture
def helper(world, account, tmp_path):
    """The helper's path, installed by the written script itself."""
    path, rule = Path(f"/usr/local/sbin/{account}-guard"), Path(f"/etc/sudoers.d/{account}")
    place = HelperPlace(str(world.base), (str(world.bin / "xl"),), f"{world.bin}:")
    for name, text in setup_files(account, str(path), str(rule), place).items():
        (tmp_path / name).write_text(text)
    try:
        subprocess.run(["sh", tmp_path / "install.sh"], check=True, capture_output=True)
        assert path.stat().st_mode & 0o7777 == 0o755
        assert rule.stat().st_mode & 0o7777 == 0o440
        yield str(path)
    finally:
        path.unlink(missing_ok=True)
        rule.unlink(missing_ok=True)


@pytest.fixture
def shell(account, helper):
    made = AccountShell(account)
    yield made
    made.close()


@pytest.fixture
def guard(world, shell, helper):
    made = Guard(shell, str(world.base), sudo=("sudo", "-n"), helper=helper)
    yield made
    made.abandon()


def test_account_can_sweep_and_the_host_is_restored(world, guard):
    guard.arm(world.lines(), TTL_S, 600)
    assert (world.sweep / "restore.sh").stat().st_uid == 0
    assert guard.run_under_lock(world.change(3, 512)).code == 0
    assert world.values() == {0: ORIGINAL, 3: "512 0"}
    assert guard.state().alive
    assert guard.release().state == "none"
    assert world.untouched


def test_guard_fires_for_an_account_that_vanished(world, guard):
    guard.arm(world.lines(), TTL_S, 600)
    guard.run_under_lock(world.change(3, 512))
    guard.abandon()
    wait_for(lambda: world.state() == "restored", TTL_S + MARGIN_S, "the guard did not restore")
    assert world.untouched


def test_reading_is_allowed_as_it_is_spelled_out(world, shell):
    assert shell.run(["sudo", "-n", str(world.bin / "xl"), "info"]).out == "xen_scheduler : credit2\n"


REFUSED_BY_SUDO = [
    ["XL", "destroy", "3"],
    ["XL", "info", "-f", "x"],
    ["XL", "sched-credit2", "-d", "3", "-w", "512", "-c", "0"],  # a change must go through the fence
    ["XL", "sched-credit2", "-d", "3 -w 512"],
    ["XL", "sched-credit2", "-d", "123456"],
    ["/bin/sh", "-c", "id"],
    ["cat", "/etc/shadow"],
    ["-u", "nobody", "HELPER", "state"],
]


def test_sudo_allows_no_other_command(world, shell, helper):
    names = {"XL": str(world.bin / "xl"), "HELPER": helper}
    for words in REFUSED_BY_SUDO:
        answer = shell.run(["sudo", "-n", *(names.get(word, word) for word in words)])
        assert answer.code == 1, words
        assert "password is required" in answer.err or "not allowed" in answer.err, words
    assert world.calls() == []


OTHER_CHANGES = [
    ["XL", "destroy", "3"],
    ["XL", "sched-credit2", "-d", "3", "-w", "$(id)"],
    ["XL", "sched-credit2", "-d", "3", "-w", "512;id"],
    ["XL", "sched-credit2", "-f", "3"],
    ["XL", "sched-credit", "-s", "-t", "5"],
    ["XL"],
    ["/bin/sh", "-c", "id"],
    ["/bin/sh", "sched-credit2", "-d", "3"],
    ["", "sched-credit2", "-d", "3"],
    ["*", "sched-credit2", "-d", "3"],
    ["XL XL", "sched-credit2", "-d", "3"],
]


def test_helper_makes_no_other_change(world, guard):
    guard.arm(world.lines(), TTL_S, 600)
    for words in OTHER_CHANGES:
        with pytest.raises(HostNotUsable, match="not permitted"):
            guard.run_under_lock([word.replace("XL", str(world.bin / "xl")) for word in words])
        assert world.calls() == [], words


OTHER_RESTORE_LINES = [
    "touch MARK",
    "touch MARK\n",
    "put dom0 /bin/touch MARK\n",
    "put dom0 XL sched-credit2 -d @ -w 256 -c 0; touch MARK\n",
    "put dom0 XL sched-credit2 -d @ -w 256 -c 0 && touch MARK\n",
    "put dom0 XL sched-credit2 -d @ -w $(touch MARK) -c 0\n",
    "put dom0 XL sched-credit2 -d @ -w `touch MARK` -c 0\n",
    "put dom0 XL sched-credit2 -d @ -w 256 >MARK\n",
    "put dom0 XL destroy 3\n",
    "put ../x XL sched-credit2 -d @ -w 256 -c 0\n",
    "put dom0 XL sched-credit2 -d @ -w 256 -c 0\n\ntouch MARK\n",
    "put dom0 XL sched-credit2 -d @ -w 256 -c 0\r\ntouch MARK\n",
    "END\ntouch MARK\n",
]


def test_helper_takes_no_other_restore_command(world, guard):
    mark = world.folder / "mark"
    for line in OTHER_RESTORE_LINES:
        with pytest.raises(HostNotUsable, match=r"not permitted|has no line end"):
            guard.arm(line.replace("XL", str(world.bin / "xl")).replace("MARK", str(mark)), TTL_S, 600)
        assert not mark.exists(), line
        assert not world.sweep.exists(), line
        assert world.calls() == [], line


OTHER_ARGUMENTS = [
    ["run", "TOKEN", "-k 9 5", "XL", "sched-credit2", "-d", "3"],
    ["alone", "--help", "XL", "sched-credit2", "-d", "3"],
    ["alone", "5", "/bin/sh", "-c", "id"],
    ["/bin/sh", "-c", "id"],
    ["put_all"],
    [],
]


def test_helper_refuses_other_arguments(world, guard, shell, helper):
    guard.arm(world.lines(), TTL_S, 600)
    names = {"TOKEN": guard.token, "XL": str(world.bin / "xl")}
    for words in OTHER_ARGUMENTS:
        answer = shell.run(["sudo", "-n", helper, *(names.get(word, word) for word in words)])
        assert (answer.code, answer.out) == (96, ""), words
        assert world.calls() == [], words


def test_helper_of_another_version_is_named(world, guard, helper):
    text = Path(helper).read_text()
    Path(helper).write_text(text.replace("domtune-guard 2", "domtune-guard 3"))
    with pytest.raises(HostNotUsable, match="another version"):
        guard.arm(world.lines(), TTL_S, 600)


@pytest.mark.parametrize("name", ["", "root", "a b", "x;id", "ALL", "%wheel", "-x", "a" * 33, "é", "x\n"])
def test_name_that_is_no_account_is_refused(name):
    with pytest.raises(SpecError):
        setup_files(name)


def test_written_rule_is_valid_and_has_no_pattern_that_matches_a_blank(tmp_path):
    if absent := [name for name in ("visudo", "shellcheck") if shutil.which(name) is None]:
        lacking(f"not to be found: {', '.join(absent)}")
    files = setup_files("operator")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    checked = subprocess.run(["visudo", "-cf", tmp_path / "sudoers"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert set("*?!^$") & set(files["sudoers"].replace("Defaults!", "").replace("!requiretty", "")) == set()
    assert f"put {GUEST}" not in files["domtune-guard"]
    scripts = [tmp_path / "domtune-guard", tmp_path / "install.sh"]
    found = subprocess.run(["shellcheck", *scripts], capture_output=True, text=True, check=False)
    assert found.stdout == ""


def armed_by_hand(world, shell, helper, size, stdin, times=("60", "600")):
    """Say `arm` to the installed helper as any program of the account could."""
    return shell.run(["sudo", "-n", helper, "arm", "a1b2", *times, str(size), "me"], timeout_s=60, stdin=stdin)


def test_last_line_without_an_end_is_refused(world, shell, helper):
    lines = world.lines().rstrip("\n")
    answer = armed_by_hand(world, shell, helper, len(lines), lines)
    assert answer.code == 92
    assert "no line end" in answer.said
    assert not (world.base / "sweep").exists()


@pytest.mark.parametrize("times", [("0", "600"), ("08", "600"), (str(2**63), "600"), ("60", "1e3"), ("60", "")])
def test_odd_times_are_refused_at_once(world, shell, helper, times):
    answer = armed_by_hand(world, shell, helper, len(world.lines()), world.lines(), times)
    assert answer.code == 92
    assert "whole seconds" in answer.said
    assert not (world.base / "sweep").exists()


@pytest.mark.parametrize("size", [65_537, 2**63, "x", ""])
def test_no_one_fills_the_hosts_memory(world, shell, helper, size):
    answer = armed_by_hand(world, shell, helper, size, "put dom0\n" * 10_000)
    assert answer.code == 92
    assert "at most 65536 bytes" in answer.said
    assert not list(world.base.glob("given*"))


def test_more_than_was_announced_is_neither_kept_nor_obeyed(world, shell, helper):
    answer = armed_by_hand(world, shell, helper, 5, world.lines() * 1000)
    assert answer.code == 92
    assert "arrived incomplete" in answer.said
    assert not list(world.base.glob("given*"))
