"""The lab's own libvirtd, and commands to it."""

import os
import signal
import subprocess
import time
from pathlib import Path
from threading import Event

from scheduler.children import find_program, run_and_capture
from scheduler.errors import HostNotUsable

SCRIPTS = Path(__file__).resolve().parents[2] / "packaging" / "lab" / "lxc"
PROGRAMS = ("libvirtd", "virsh", "unshare", "setpriv")
_GROUPS = Path("/sys/fs/cgroup")
_START_S = 20.0
_END_S = 10.0
_TELL_S = 60.0  # ending a container whose first process ignores signals takes seconds
_LONGEST_SOCKET = 107  # unix(7): 108 bytes with the zero at the end
_LOOK_S = 0.05

HINT = "Install the packages: apt-get install --no-install-recommends " + " ".join(
    ("libvirt-daemon", "libvirt-daemon-driver-lxc", "libvirt-clients", "python3-libvirt")
)


class LibvirtDaemon:
    """One libvirtd in a folder of its own.

    Args:
        folder: Its folder; the files there outlive the daemon.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.socket = folder / "run" / "libvirt-sock"
        self.url = f"lxc+unix:///system?socket={self.socket}"

    def refuse_if_impossible(self) -> None:
        """Raise HostNotUsable where no libvirtd can be started."""
        if os.geteuid() != 0:
            raise HostNotUsable("the LXC lab needs root: it makes containers", hint="Run the command as root.")
        absent = [name for name in PROGRAMS if not find_program(name)]
        if absent:
            raise HostNotUsable(f"not installed: {', '.join(absent)}", hint=HINT)
        if not (SCRIPTS / "libvirtd").is_file():
            hint = "They are part of the source tree, not of an installed package: run DomTune from a checkout."
            raise HostNotUsable(f"the lab's scripts are not at {SCRIPTS}", hint=hint)
        if len(str(self.socket)) > _LONGEST_SOCKET:
            hint = "Set DOMTUNE_HOME to a folder with a shorter name."
            raise HostNotUsable(f"{self.socket} is too long for a socket's name", hint=hint)

    @property
    def pid(self) -> int:
        """The process id of the daemon; 0 when it does not run."""
        try:
            pid = int((self._folder / "libvirtd.pid").read_text("ascii"))
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return 0
        return pid if str(self._folder / "libvirtd.pid").encode() in words else 0

    def start(self) -> None:
        """Start the daemon unless it runs; raises HostNotUsable."""
        if self.pid:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        started = _run_program([str(SCRIPTS / "libvirtd"), str(self._folder)], _START_S)
        deadline_s = time.monotonic() + _START_S
        while started.returncode == 0 and time.monotonic() < deadline_s:
            if self._run_virsh("version").returncode == 0:
                return
            Event().wait(_LOOK_S)
        raise HostNotUsable(f"the lab's libvirtd did not start: {_last_line(started)}", hint=self._log_hint())

    def tell(self, *words: str) -> str:
        """Run a virsh command and return its output; raises HostNotUsable."""
        done = self._run_virsh(*words)
        if done.returncode:
            raise HostNotUsable(f"virsh {' '.join(words)}: {_last_line(done)}", hint=self._log_hint())
        return done.stdout.strip()

    def running(self) -> list[str]:
        """Return the names of the domains that run; empty when libvirtd does not."""
        done = self._run_virsh("list", "--name") if self.pid else None
        return done.stdout.split() if done is not None and done.returncode == 0 else []

    def define(self, name: str, description: str) -> None:
        """Define a domain; end and undefine an older one of this name first.

        The new one has other ports, and libvirt takes no second description of the same name, so each gets its own
        UUID. Raises HostNotUsable.

        Args:
            name: Name of the domain.
            description: Its XML.
        """
        if name in self.tell("list", "--name").split():
            self.tell("destroy", name)
        if name in self.tell("list", "--all", "--name").split():
            self.tell("undefine", name)
        path = self._folder / "domain.xml"
        path.write_text(description, "utf-8")
        self.tell("define", str(path))

    def stop(self) -> None:
        """End every domain, then the daemon; raises HostNotUsable when something stays."""
        self.start()  # one that was killed left its domains running
        for name in self.tell("list", "--name").split():
            self.tell("destroy", name)
        for name in self.tell("list", "--all", "--name").split():
            self.tell("undefine", name)
        self._stop_daemon()
        _remove_groups()

    def _stop_daemon(self) -> None:
        deadline_s = time.monotonic() + _END_S
        asked = False
        while pid := self.pid:
            if not asked:
                os.kill(pid, signal.SIGTERM)
                asked = True
            if time.monotonic() > deadline_s:
                raise HostNotUsable(f"the lab's libvirtd (process {pid}) does not end", hint=self._log_hint())
            Event().wait(_LOOK_S)

    def _run_virsh(self, *words: str) -> subprocess.CompletedProcess[str]:
        return _run_program(["virsh", "-q", "-c", self.url, *words], _TELL_S)

    def _log_hint(self) -> str:
        return f"Its log is {self._folder / 'libvirtd.log'}."


def is_only_libvirtd() -> bool:
    """Return True when no other libvirtd has domains: their group is the lab's then."""
    return not any(_GROUPS.glob("*/machine"))


def raise_weight(weight: int) -> None:
    """Raise the containers' common weight against other programs; version 1 only.

    The weight ends with their group.
    """
    path = _GROUPS / "cpu" / "machine" / "cpu.shares"
    if path.exists():
        path.write_text(str(weight), "ascii")


def join_group(pid: int) -> None:
    """Give a process the containers' weight against other programs; version 1 only."""
    path = _GROUPS / "cpu" / "machine" / "cgroup.procs"
    if path.exists():
        path.write_text(str(pid), "ascii")


def _remove_groups() -> None:
    """Remove the domains' groups; one that is not empty is another libvirtd's."""
    for folder in _GROUPS.glob("*/machine"):
        try:
            folder.rmdir()
        except OSError:
            continue


def _run_program(words: list[str], limit_s: float) -> subprocess.CompletedProcess[str]:
    try:
        return run_and_capture(words, limit_s)
    except OSError as error:
        return subprocess.CompletedProcess(words, 1, "", str(error))


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"
