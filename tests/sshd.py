"""A real sshd on the loopback, started by a test without touching the machine's own; root or not."""

import contextlib
import functools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from scheduler.hosts.remote.ssh_options import app_known_hosts

SSHD = "/usr/sbin/sshd"
_START_S = 60.0
# A home of its own: what the developer's shell reads at its start took ten times as long as a session.
_CONFIG = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
PidFile {folder}/sshd.pid
AuthorizedKeysFile {folder}/authorized_keys
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
SetEnv PATH={path} HOME={folder}
{more}
"""


class Sshd:
    """One server with a key of its own and one user: whoever runs the test."""

    def __init__(self, folder: Path, more: str = "") -> None:
        assert shutil.which(SSHD), "package openssh-server is missing (packaging/apt-packages tests)"
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.user = pwd.getpwuid(os.geteuid()).pw_name
        self._path = os.environ["PATH"]
        self._more = more
        self._server: subprocess.Popen[bytes] | None = None
        self._pid_file = folder / "sshd.pid"
        self._log = folder / "sshd.log"
        self._known = False
        self.port = _free_port()
        for name in ("host_key", "user_key"):
            put_key(folder / name)
        (folder / "authorized_keys").write_text((folder / "user_key.pub").read_text())

    @property
    def url(self) -> str:
        return f"xl+ssh://{self.user}@127.0.0.1:{self.port}"

    def known_line(self) -> str:
        return f"[127.0.0.1]:{self.port} {(self.folder / 'host_key.pub').read_text()}"

    def start(self) -> None:
        """Start it; on another port when somebody took this one before anybody was told it."""
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)  # where sshd separates its rights; the package makes it at boot
        deadline_s = time.monotonic() + _START_S
        while not self._listens(deadline_s):
            assert "in use" in self._log.read_text(), self._log.read_text()
            assert time.monotonic() < deadline_s, self._log.read_text()
            if not self._known:
                self.port = _free_port()
            threading.Event().wait(0.1)
        self._known = True

    def _listens(self, deadline_s: float) -> bool:
        """Start a server; return False when it ended instead of listening."""
        config = self.folder / "sshd_config"
        config.write_text(_CONFIG.format(port=self.port, folder=self.folder, path=self._path, more=self._more))
        self._pid_file.unlink(missing_ok=True)
        with self._log.open("wb") as log:
            self._server = subprocess.Popen(
                [SSHD, "-D", "-e", "-f", str(config)], stdin=subprocess.DEVNULL, stderr=log, start_new_session=True
            )
        # It writes its number down once it listens. That somebody answers there says nothing: it may be another one.
        until(lambda: self._pid_file.exists() or _ended(self._server), deadline_s, "sshd does not start")
        return not _ended(self._server)

    def stop(self) -> None:
        """End the server and the sessions that it holds."""
        if self._server is None:
            return
        for child in self.sessions():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, 9)
        self._server.kill()
        self._server.wait()
        self._server = None

    def end_orphans(self) -> None:
        """End what sessions that were cut have left running; it would end by itself, some time."""
        for process in psutil.process_iter(["environ"]):
            if (process.info["environ"] or {}).get("HOME") == str(self.folder):
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()

    def sessions(self) -> list[int]:
        """Return the processes that hold a connection each."""
        assert self._server
        return [int(pid) for pid in _children(self._server.pid)]


class Agent:
    """An ssh-agent that holds one key."""

    def __init__(self, folder: Path, key: Path) -> None:
        self.socket = folder / "agent"
        self._agent = subprocess.Popen(["ssh-agent", "-D", "-a", str(self.socket)], stdout=subprocess.DEVNULL)
        # The socket is there a moment before anybody listens.
        until(self._answers, time.monotonic() + _START_S, "the agent does not start")
        environment = {**os.environ, "SSH_AUTH_SOCK": str(self.socket)}
        subprocess.run(["ssh-add", "-q", str(key)], env=environment, check=True)

    def _answers(self) -> bool:
        assert self._agent.poll() is None, "the agent ended"
        with socket.socket(socket.AF_UNIX) as line:
            return line.connect_ex(str(self.socket)) == 0

    def stop(self) -> None:
        self._agent.kill()
        self._agent.wait()


@contextlib.contextmanager
def trusted_sshd(folder: Path, monkeypatch: pytest.MonkeyPatch, more: str = "") -> Iterator[Sshd]:
    """Run a server whose key is accepted, with an agent that logs in there."""
    sshd = Sshd(folder, more)
    sshd.start()
    try:
        agent = Agent(sshd.folder, sshd.folder / "user_key")
        monkeypatch.setenv("SSH_AUTH_SOCK", str(agent.socket))
        accept(sshd)
        try:
            yield sshd
        finally:
            agent.stop()
    finally:
        sshd.stop()


def accept(sshd: Sshd) -> None:
    """Keep a server's key, as `trust` does."""
    app_known_hosts().parent.mkdir(parents=True, exist_ok=True)
    with app_known_hosts().open("a") as kept:
        kept.write(sshd.known_line())


def make_key(path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)


def put_key(path: Path) -> None:
    """Write this process's key of that name, which is made once."""
    private, public = _key_of(path.name)
    path.touch(mode=0o600)
    path.write_bytes(private)
    path.with_suffix(".pub").write_bytes(public)


@functools.cache
def _key_of(name: str) -> tuple[bytes, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        make_key(path)
        return path.read_bytes(), path.with_suffix(".pub").read_bytes()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def _ended(process: "subprocess.Popen[bytes] | None") -> bool:
    return process is None or process.poll() is not None


def until(fine: Callable[[], bool], deadline_s: float, complaint: str) -> None:
    """Look often until it is so."""
    while not fine():
        assert time.monotonic() < deadline_s, complaint
        threading.Event().wait(0.02)


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
