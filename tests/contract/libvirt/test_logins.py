"""Logging in to a libvirt host elsewhere: nothing asks on the terminal, no unknown key is believed, errors say why."""

import os
import pty
import select
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from scheduler.errors import HostUnreachable
from scheduler.hosts.host_registry import open_host
from scheduler.hosts.libvirt.libvirt_python import find_python
from tests.sshd import Sshd

pytestmark = pytest.mark.usefixtures("binding")

REPO = Path(__file__).resolve().parents[3]
OPEN = """
import sys
from scheduler.errors import SchedulerError
from scheduler.hosts.host_registry import open_host
try:
    open_host(sys.argv[1], lambda command, answer: None)
except SchedulerError as error:
    print(f"{type(error).__name__}: {error} | {error.hint}", file=open(sys.argv[2], "w"))
"""


@pytest.fixture
def sshd(tmp_path):
    server = Sshd(tmp_path / "sshd")
    server.start()
    yield server
    server.stop()


def opened_on_a_terminal(url: str, answer: Path) -> bytes:
    """Open the URL in a process whose controlling terminal is ours; return what was written there."""
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(REPO)
        os.execv(sys.executable, [sys.executable, "-c", OPEN, url, str(answer)])
    written = b""
    while select.select([terminal], [], [], 60)[0]:
        try:
            chunk = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        written += chunk
    os.close(terminal)
    os.waitpid(pid, 0)
    return written


@pytest.mark.parametrize("transport", ["ssh", "libssh"])
def test_unknown_host_key_is_refused_and_no_one_is_asked_on_the_terminal(sshd, tmp_path, transport):
    answer = tmp_path / "answer"
    known = f"&known_hosts={tmp_path / 'known'}" if transport == "libssh" else ""
    url = f"qemu+{transport}://{sshd.user}@127.0.0.1:{sshd.port}/system?keyfile={sshd.folder / 'user_key'}{known}"
    assert opened_on_a_terminal(url, answer) == b""
    said = answer.read_text()
    assert said.startswith("HostNotUsable: ")
    assert "key" in said
    assert not (tmp_path / "known").exists()


@pytest.mark.parametrize("transport", ["ssh", "libssh", "tcp"])
def test_closed_port_is_reported(transport):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound, but nobody listens
        port = closed.getsockname()[1]
        with pytest.raises(HostUnreachable) as said:
            open_host(f"qemu+{transport}://nobody@127.0.0.1:{port}/system", lambda command, answer: None)
    assert "refused" in str(said.value)
    assert said.value.hint


def test_unknown_name_is_reported():
    with pytest.raises(HostUnreachable, match=r"name of the host is unknown"):
        open_host("qemu+tcp://no-such-host.invalid/system", lambda command, answer: None)


def test_process_that_holds_a_connection_ends_with_its_parent(tmp_path):
    program = """
import sys
from scheduler.hosts.libvirt.libvirt_python import find_python
from scheduler.hosts.libvirt.worker_process import WorkerProcess
speaker = WorkerProcess(find_python())
speaker.ask({"do": "open", "uri": "test:///default", "user": "", "password": ""}, 20.0)
print(speaker.pid, flush=True)
sys.stdin.read()
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=REPO
    )
    with parent:
        worker = int(parent.stdout.readline())
        handle = os.pidfd_open(worker)
        parent.kill()
        assert select.select([handle], [], [], 10)[0], "the worker outlives its parent"
        os.close(handle)


def test_passwords_are_in_no_command_line_and_no_environment(monkeypatch):
    from scheduler.hosts.libvirt.worker_process import WorkerProcess

    monkeypatch.setenv("DOMTUNE_LIBVIRT_PASSWORD", "top-secret")
    speaker = WorkerProcess(find_python())
    try:
        speaker.ask({"do": "open", "uri": "test:///default", "user": "me", "password": "top-secret"}, 20.0)
        seen = Path(f"/proc/{speaker.pid}/cmdline").read_bytes() + Path(f"/proc/{speaker.pid}/environ").read_bytes()
    finally:
        speaker.end()
    assert b"top-secret" not in seen
