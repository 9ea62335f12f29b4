"""The shell over ssh against a real sshd on the loopback."""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scheduler.errors import HostKeyChanged, HostKeyUnknown, HostNotUsable, HostUnreachable
from scheduler.hosts.remote.askpass import asking_environment
from scheduler.hosts.remote.host_keys import accept_key
from scheduler.hosts.remote.shell import CommandResult
from scheduler.hosts.remote.ssh_options import app_known_hosts
from scheduler.hosts.remote.ssh_shell import SshShell
from scheduler.hosts.remote.ssh_url import parse_target
from tests.killing import kill
from tests.sshd import make_key, trusted_sshd, until

REPO = Path(__file__).resolve().parents[3]
HOLD = """
import sys
from scheduler.hosts.remote.ssh_shell import SshShell
from scheduler.hosts.remote.ssh_url import parse_target
shell = SshShell(parse_target(sys.argv[1]))
print(shell.run(["echo", "here"]).out, end="")
print(shell._folder, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


@pytest.fixture
def sshd(home, monkeypatch):
    with trusted_sshd(home / "sshd", monkeypatch) as sshd:
        yield sshd
    sshd.end_orphans()


@pytest.fixture
def shell(sshd):
    shell = SshShell(parse_target(sshd.url), "xl+ssh")
    yield shell
    shell.close()


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """A connection for laws that neither break nor count anything."""
    folder = tmp_path_factory.mktemp("used")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOMTUNE_HOME", str(folder / "home"))
        with trusted_sshd(folder / "sshd", patch) as sshd:
            shell = SshShell(parse_target(sshd.url), "xl+ssh")
            yield shell
            shell.close()


def test_commands_share_one_connection(shell, sshd):
    for _ in range(3):
        assert shell.run(["echo", "a  b", "$HOME"]) == CommandResult(0, "a  b $HOME\n", "")
    assert len(sshd.sessions()) == 1


def test_commands_may_run_at_once(used):
    with ThreadPoolExecutor(4) as pool:
        codes = pool.map(lambda code: used.run(["sh", "-c", f"sleep 0.2; exit {code}"]).code, range(4))
        assert list(codes) == [0, 1, 2, 3]


def forget_hosts():
    app_known_hosts().unlink()


def start_long(pool, shell, mark):
    """Start a command that goes on for long; returns when it runs on the host."""
    answer = pool.submit(shell.run, ["sh", "-c", f"touch {mark}; exec sleep 100"], timeout_s=90)
    until(mark.exists, time.monotonic() + 60, "the command does not start")
    return answer


def _session_of(shell):
    """Return the process that reads commands on the host."""
    return int(shell.run(["sh", "-c", "echo $PPID"]).out)


def test_session_is_kept_for_the_next_command(shell):
    first = _session_of(shell)
    with pytest.raises(HostUnreachable, match=r"within 0\.3 s"):
        shell.run(["sleep", "5"], timeout_s=0.3)
    second = _session_of(shell)
    assert second != first
    assert shell.run(["exit", "3"]) == CommandResult(3, "", "")
    assert [_session_of(shell) for _ in range(3)] == [second] * 3


def test_kept_session_that_died_is_not_noticed(shell):
    for _ in range(3):
        kill(_session_of(shell))
        assert shell.run(["echo", "on"]) == CommandResult(0, "on\n", "")


def test_commands_at_once_never_wait_for_each_other(used, tmp_path):
    os.mkfifo(pipe := tmp_path / "pipe")
    used.run(["true"])
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(used.run, ["cat", str(pipe)])
        assert used.run(["sh", "-c", f"echo go >{pipe}"]).code == 0
        assert slow.result(timeout=60).out == "go\n"


@pytest.mark.parametrize(
    "word", ["a\nb", "$HOME `id`", 'it\'s "quoted"', "back\\slash!", "\u00fc\u20ac", "", "x" * 40_000, " a\tb ", "a\r"]
)
def test_words_come_through_as_they_are(used, word):
    for _ in range(2):
        assert used.run(["printf", "%s", word]) == CommandResult(0, word, "")


def test_much_is_reported_on_both_sides_at_once(used):
    program = "i=0; while [ $i -lt 9000 ]; do echo out-$i-xxxxxxxx; echo err-$i >&2; i=$((i + 1)); done"
    answer = used.run(["sh", "-c", program])
    assert answer.out.splitlines() == [f"out-{i}-xxxxxxxx" for i in range(9000)]
    assert answer.err.splitlines() == [f"err-{i}" for i in range(9000)]


def test_command_that_reads_finds_an_end(used):
    assert used.run(["cat"]) == CommandResult(0, "", "")


def test_input_and_a_code_of_255_come_through(used):
    assert used.run(["sh", "-c", "cat; echo bad >&2; exit 255"], stdin="x" * 100_000) == CommandResult(
        255, "x" * 100_000, "bad\n"
    )


def test_unknown_key_is_shown_and_not_taken(sshd):
    forget_hosts()
    shown = subprocess.check_output(["ssh-keygen", "-lf", str(sshd.folder / "host_key.pub")], text=True).split()[1]
    with pytest.raises(HostKeyUnknown) as unknown:
        SshShell(parse_target(sshd.url), "xl+ssh").run(["true"])
    assert unknown.value.fingerprint == shown
    assert f"domtune trust {sshd.url} --fingerprint {shown}" in unknown.value.hint
    assert not app_known_hosts().exists()


def test_another_fingerprint_than_the_hosts_is_not_accepted(sshd):
    forget_hosts()
    with pytest.raises(HostKeyChanged):
        accept_key(parse_target(sshd.url), "SHA256:" + "A" * 43)
    assert not app_known_hosts().exists()


def test_changed_key_stops(shell, sshd):
    shell.run(["true"])
    shell.close()
    sshd.stop()
    (sshd.folder / "host_key").unlink()
    make_key(sshd.folder / "host_key")
    sshd.start()
    with pytest.raises(HostKeyChanged, match="SHA256:"):
        shell.run(["true"])


def test_refused_login_reports_what_to_do(shell, sshd):
    (sshd.folder / "authorized_keys").write_text("")
    with pytest.raises(HostNotUsable, match="Permission denied") as refused:
        shell.run(["true"])
    assert "agent" in refused.value.hint


def test_no_one_listening_is_reported_at_once(shell, sshd):
    sshd.stop()
    began_s = time.monotonic()
    with pytest.raises(HostUnreachable, match="refused"):
        shell.run(["true"])
    assert time.monotonic() - began_s < 9  # it would wait for ten


def test_session_cut_in_mid_command_is_reported_and_the_next_one_connects_again(shell, sshd, tmp_path):
    with ThreadPoolExecutor(1) as pool:
        answer = start_long(pool, shell, tmp_path / "runs")
        for pid in sshd.sessions():
            kill(pid)
        with pytest.raises(HostUnreachable, match="broke while 'sh' ran"):
            answer.result(timeout=60)
    assert shell.run(["echo", "again"]).out == "again\n"


def test_several_commands_at_once_find_a_new_connection_after_a_cut(shell, sshd):
    for _ in range(3):
        shell.run(["true"])
        for pid in sshd.sessions():
            kill(pid)
        with ThreadPoolExecutor(3) as pool:
            assert [answer.out for answer in pool.map(shell.run, [["echo", "a"], ["echo", "b"], ["echo", "c"]])] == [
                "a\n",
                "b\n",
                "c\n",
            ]


def test_command_beyond_its_time_is_given_up_and_the_connection_kept(shell, sshd):
    shell.run(["true"])
    before = sshd.sessions()
    with pytest.raises(HostUnreachable, match=r"within 0\.5 s"):
        shell.run(["sleep", "5"], timeout_s=0.5)
    assert shell.run(["echo", "on"]).out == "on\n"
    assert sshd.sessions() == before


def test_closing_ends_the_command_and_leaves_no_file(shell, home):
    with ThreadPoolExecutor(1) as pool:
        answer = start_long(pool, shell, home / "runs")
        shell.close()
        with pytest.raises(HostUnreachable):
            answer.result(timeout=60)
    shell.close()
    assert not list(home.glob("domtune-ssh-*"))


def test_connection_ends_with_the_one_who_made_it(shell, sshd):
    shell.close()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, sshd.url], cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout.readline() == "here\n"
        folder = holder.stdout.readline().rstrip()
        assert len(sshd.sessions()) == 1
        holder.kill()
        until(lambda: sshd.sessions() == [], time.monotonic() + 60, "the connection does not end")
    shutil.rmtree(folder)  # nobody is left who could take it away


def test_account_without_a_shell_is_reported(home, monkeypatch):
    monkeypatch.setattr("scheduler.hosts.remote.ssh_shell._LOGIN_S", 1.0)
    silent = "ForceCommand echo This account is not available; cat >/dev/null"  # until the connection ends
    with (
        trusted_sshd(home / "sshd", monkeypatch, silent) as sshd,
        pytest.raises(HostUnreachable, match="no session within 1 s"),
    ):
        SshShell(parse_target(sshd.url)).run(["true"])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("root@xen1's password: ", "s3cret"),
        ("(root@xen1) Password: ", "s3cret"),
        ("Enter passphrase for key '/home/u/.ssh/id_ed25519': ", "s3cret"),
        ("admin@jump's password: ", None),
        ("admin@xen1-jump's password: ", None),
        ("(admin@xen1.jump) Password: ", None),
        ("(admin@jump) root@xen1's password: ", None),
        ("(admin@jump) (root@xen1) Password: ", None),
        ("(admin@jump) Enter passphrase for key '/home/u/.ssh/id_ed25519': ", None),
        ("Verification code: ", None),
        ("Are you sure you want to continue connecting (yes/no/[fingerprint])? ", None),
    ],
)
def test_only_the_hosts_own_question_gets_the_password(tmp_path, question, answer):
    environment = asking_environment(tmp_path, "s3cret", {"xen1", "10.0.0.5"})
    done = subprocess.run(
        [environment["SSH_ASKPASS"], question], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout.rstrip("\n") or None) == answer
    assert (done.returncode == 0) == (answer is not None)
    assert "s3cret" not in Path(environment["SSH_ASKPASS"]).read_text()
