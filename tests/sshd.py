"""A real sshd on the loopback, started by a test without touching the machine's own; root or not."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.hosts.remote.host_keys import fetch_key, trust
from scheduler.hosts.remote.ssh_url import parse_target

SSHD = "/usr/sbin/sshd"
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
SetEnv PATH={path}
{more}
"""


class Sshd:
    """One server with a key of its own and one user: whoever runs the test."""

    def __init__(self, folder: Path, more: str = "") -> None:
        assert shutil.which(SSHD), "package openssh-server is missing (packaging/apt-packages)"
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.user = pwd.getpwuid(os.geteuid()).pw_name
        self._path = os.environ["PATH"]
        self._more = more
        self._server: subprocess.Popen[bytes] | None = None
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.port = taken.getsockname()[1]
        make_key(folder / "host_key")
        make_key(folder / "user_key")
        (folder / "authorized_keys").write_text((folder / "user_key.pub").read_text())

    @property
    def url(self) -> str:
        return f"xl+ssh://{self.user}@127.0.0.1:{self.port}"

    def known_line(self) -> str:
        return f"[127.0.0.1]:{self.port} {(self.folder / 'host_key.pub').read_text()}"

    def start(self) -> None:
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)  # where sshd separates its rights; the package makes it at boot
        config = self.folder / "sshd_config"
        config.write_text(_CONFIG.format(port=self.port, folder=self.folder, path=self._path, more=self._more))
        with (self.folder / "sshd.log").open("ab") as log:
            self._server = subprocess.Popen(
                [SSHD, "-D", "-e", "-f", str(config)], stdin=subprocess.DEVNULL, stderr=log, start_new_session=True
            )
        for _ in range(100):
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", self.port)):
                return
            threading.Event().wait(0.05)
        raise AssertionError((self.folder / "sshd.log").read_text())

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

    def sessions(self) -> list[int]:
        """Return the processes that hold a connection each."""
        assert self._server
        return [int(pid) for pid in _children(self._server.pid)]


class Agent:
    """An ssh-agent that holds one key."""

    def __init__(self, folder: Path, key: Path) -> None:
        self.socket = folder / "agent"
        self._agent = subprocess.Popen(["ssh-agent", "-D", "-a", str(self.socket)], stdout=subprocess.DEVNULL)
        while not self._answers():  # the socket is there a moment before anybody listens
            threading.Event().wait(0.02)
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
def trusted_sshd(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sshd]:
    """Run a server whose key is accepted, with an agent that logs in there."""
    sshd = Sshd(folder)
    sshd.start()
    agent = Agent(sshd.folder, sshd.folder / "user_key")
    monkeypatch.setenv("SSH_AUTH_SOCK", str(agent.socket))
    target = parse_target(sshd.url)
    trust(target, fetch_key(target).fingerprint)
    yield sshd
    agent.stop()
    sshd.stop()


def make_key(path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
