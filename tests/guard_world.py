"""A made-up toolstack for tests of the guard: `xl` and the XenStore as small scripts over a folder, real processes all.

What it can do on demand: block before it sets a value (a file `gate-WEIGHT`), and refuse a domain (`refuse-ID`). Its
clock is set all the time: each look finds it a day later, which nothing there may go by.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import psutil

from scheduler.hosts.remote.guard_script import DOM0, NUMBER, RestoreCommands, restore_lines
from tests.killing import kill

GUEST = "6f0c2a9e-1b7d-4c55-9d3a-000000000001"
ORIGINAL = "256 0"
TTL_S = 4
MARGIN_S = 24.0  # the guard looks every second, waits a second between tries; the rest is for a busy computer
END_S = 30.0  # for a process to end that has nothing to do any more, on a busy computer
_OFTEN_S, _SELDOM_S = 0.02, 0.3  # between two looks: most things come at once or not soon
BACK_S = TTL_S + MARGIN_S

_XL = """#!/bin/sh
# xl info, or: xl sched-credit2 -d ID -w WEIGHT -c CAP
[ "$1" != info ] || { echo 'xen_scheduler : credit2'; exit; }
echo "$*" >>@/calls
while [ -e "@/gate-$5" ]; do : >"@/at-gate-$5"; sleep 0.05; done
[ ! -e "@/refuse-$3" ] || { echo 'libxl: error: refused, as asked for' >&2; exit 1; }
[ -d "@/domains/$3" ] || { echo 'libxl: error: no such domain' >&2; exit 1; }
echo "$5 $7" >"@/domains/$3/values.$$" && mv "@/domains/$3/values.$$" "@/domains/$3/values"
"""
_DATE = """#!/bin/sh
PATH=/usr/bin:/bin
echo >>@/looks
date -d "$(wc -l <@/looks) days" "$1"
"""
_LIST = "#!/bin/sh\nls @/domains\n"
# A guard that systemd starts anew cannot be killed for good: the lab's tests are for that, here it starts by setsid.
NO_SYSTEMD = "#!/bin/sh\nexit 1\n"
_READ = '#!/bin/sh\nid=${1#/local/domain/}\ncat "@/domains/${id%/vm}/vm"\n'


class World:
    """One made-up Xen host.

    Args:
        folder: Everything is kept there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.base = folder / "run"
        self.sweep = self.base / "sweep"
        self.bin = folder / "bin"
        self.environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}
        self._kept: list[TextIO] = []

    def make(self, shell: str) -> None:
        """Make its programs and domains; `shell` is to be `sh` there, this computer's own when empty."""
        self.bin.mkdir()
        (self.folder / "calls").touch()
        programs = {"xl": _XL, "xenstore-list": _LIST, "xenstore-read": _READ, "date": _DATE}
        programs["systemd-run"] = NO_SYSTEMD
        for name, text in programs.items():
            self._program(name, text.replace("@", str(self.folder)))
        if shell:
            self.bin.joinpath("sh").symlink_to(shutil.which(shell))
        self.put_domain(0, "00000000-0000-0000-0000-000000000000")
        self.put_domain(3, GUEST)

    def _program(self, name: str, text: str) -> None:
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)

    def put_domain(self, number: int, uuid: str, values: str = ORIGINAL) -> None:
        """Make a domain, as a guest's start does."""
        place = self.folder / "domains" / str(number)
        place.mkdir(parents=True)
        (place / "values").write_text(f"{values}\n")
        (place / "vm").write_text(f"/vm/{uuid}\n")

    def drop_domain(self, number: int) -> None:
        """End a domain."""
        shutil.rmtree(self.folder / "domains" / str(number))

    def values(self) -> dict[int, str]:
        """Return weight and cap of every domain."""
        return {int(path.name): (path / "values").read_text().strip() for path in (self.folder / "domains").iterdir()}

    @property
    def untouched(self) -> bool:
        """True when every domain has its original."""
        return set(self.values().values()) == {ORIGINAL}

    def calls(self) -> list[str]:
        """Return what was asked of xl, in order."""
        return (self.folder / "calls").read_text().splitlines()

    def change(self, number: int, weight: int) -> list[str]:
        """Return the command that sets a weight."""
        return [str(self.bin / "xl"), "sched-credit2", "-d", str(number), "-w", str(weight), "-c", "0"]

    def lines(self) -> str:
        """Return what puts this host back; the guest first, to see it put behind Dom0."""
        command = (str(self.bin / "xl"), "sched-credit2", "-d", NUMBER, "-w", "256", "-c", "0")
        return restore_lines([RestoreCommands(GUEST, (command,)), RestoreCommands(DOM0, (command,))])

    # --- gates -----------------------------------------------------------------------------------------------------

    def close_gate(self, weight: int) -> None:
        """Let commands that set this weight block."""
        (self.folder / f"at-gate-{weight}").unlink(missing_ok=True)
        (self.folder / f"gate-{weight}").touch()

    def wait_at_gate(self, weight: int) -> None:
        """Wait until a command blocks there."""
        wait_for((self.folder / f"at-gate-{weight}").exists, 60.0, f"nobody came to the gate of {weight}")

    def open_gate(self, weight: int) -> None:
        """Let them go on."""
        (self.folder / f"gate-{weight}").unlink()

    # --- the guard's process ---------------------------------------------------------------------------------------

    def guard_pid(self) -> int:
        """Return the guard's process id."""
        return int((self.sweep / "pid").read_text())

    def tell_guard(self, number: signal.Signals) -> int:
        """Send its process a signal; return its id. What is killed has ended when this returns, and holds nothing."""
        pid = self.guard_pid()
        if number == signal.SIGKILL:
            kill(pid)
        else:
            os.kill(pid, number)
        return pid

    def guards(self) -> list[psutil.Process]:
        """Return the guards that live."""
        alive = [one for one in self.processes() if "watch" in one.info["cmdline"]]
        ids = {one.pid for one in alive}
        return [one for one in alive if one.info["ppid"] not in ids]  # a shell that forks is itself until it execs

    def processes(self) -> list[psutil.Process]:
        """Return every process that names this world."""
        found = psutil.process_iter(["cmdline", "ppid"])
        return [one for one in found if any(str(self.folder) in word for word in one.info["cmdline"] or [])]

    def close(self) -> None:
        """Let go of the logs that were kept."""
        for file in self._kept:
            file.close()

    def log(self) -> str:
        """Return the guard's log."""
        return (self.sweep / "log").read_text()

    def keep_log(self) -> Callable[[], str]:
        """Return what reads the guard's log even after its folder was taken away."""
        file = (self.sweep / "log").open()

        def read() -> str:
            file.seek(0)
            return file.read()

        self._kept.append(file)
        return read

    def state(self) -> str:
        """Return the state by its file, for waiting; `none` without a folder."""
        names = [name for name in ("armed", "fired", "restored", "released") if (self.sweep / name).exists()]
        return names[0] if names else "none"

    def hold_lock(self) -> "subprocess.Popen[bytes]":
        """Hold the host's lock until the process is ended."""
        holder = subprocess.Popen(["flock", str(self.base / "lock"), "sleep", "600"], start_new_session=True)
        wait_for(lambda: psutil.Process(holder.pid).children() != [], END_S, "the lock could not be taken")
        return holder


def let_go(holder: "subprocess.Popen[bytes]") -> None:
    """End what `hold_lock` started."""
    os.killpg(holder.pid, signal.SIGKILL)
    holder.wait(END_S)


def wait_for(fine: Callable[[], bool], limit_s: float, complaint: str) -> None:
    """Look often until it is so; fail when the time is over."""
    deadline_s, pause_s = time.monotonic() + limit_s, _OFTEN_S
    while not fine():
        assert time.monotonic() < deadline_s, f"{complaint} within {limit_s:g} s"
        threading.Event().wait(pause_s)
        pause_s = min(_SELDOM_S, 1.2 * pause_s)


def stays(fine: Callable[[], bool], for_s: float) -> bool:
    """Return True when it is so all the time: that something does not happen can only be watched."""
    deadline_s = time.monotonic() + for_s
    while time.monotonic() < deadline_s:
        if not fine():
            return False
        threading.Event().wait(_OFTEN_S)
    return True


def wait_until_back(world: World) -> None:
    """Wait until the guard has fired and restored; fail when that takes too long."""
    wait_for(lambda: world.state() == "restored", BACK_S, "the guard did not restore")
    assert world.untouched


@contextmanager
def made_world(shell: str = "") -> Iterator[World]:
    """Make a world and take it away, with every process that is still of it."""
    folder = Path(tempfile.mkdtemp(prefix="domtune-guard-"))
    world = World(folder)
    world.make(shell)
    try:
        yield world
    finally:
        world.close()
        for process in world.processes():
            with contextlib.suppress(psutil.NoSuchProcess):  # it may end by itself at this moment
                process.kill()
        psutil.wait_procs(world.processes(), END_S)
        shutil.rmtree(folder)
