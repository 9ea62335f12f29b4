"""One crash: start a real sweep, kill something at a chosen moment, restore, compare the host."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import msgspec
import psutil

from tests.crash import world

REPO = Path(__file__).resolve().parents[2]
VICTIMS = ("core", "window", "both", "child")  # child: the core of a window, which then restores by itself
_GONE_S = 30.0  # a window's death ends its core; a core's death ends relay, server and users
_END_S = 60.0

PLAN = """
host = "{host}"
name = "crash trial"
splits = ["1:1", "1:10", "10:1"]
protocol = "grid"
repeats = 2
measure_s = 1
settle_s = 0
load_settle_s = 0
[[load]]
kind = "osdb-ir"
users = 1
tuples = 2000
[[load]]
kind = "osdb-oltp"
users = 1
tuples = 2000
"""


class Report(msgspec.Struct):
    """What one trial saw.

    Attributes:
        victim: What was killed.
        after_s: How long after the start.
        armed: Whether an undo record was armed when it died.
        ran: Whether it still ran when it was killed; a sweep that was over by then proves nothing.
        problems: What was not as found; empty when all was well.
    """

    victim: str
    after_s: float
    armed: bool
    ran: bool
    problems: list[str]


class Sweep:
    """A sweep in processes of its own: headless, or below a window-like parent."""

    def __init__(self, home: Path, host: str, *, with_window: bool, text: str = PLAN) -> None:
        self.home = home
        plan = home / "plan.toml"
        plan.parent.mkdir(parents=True, exist_ok=True)
        plan.write_text(text.format(host=host))
        words = [sys.executable, "-m", *(["tests.crash.window_driver"] if with_window else ["scheduler", "run"])]
        self._log: IO[bytes] = (home / "out.log").open("wb")
        self.process = subprocess.Popen(
            [*words, str(plan)],
            cwd=REPO,
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def core(self) -> psutil.Process | None:
        """Return the core, which is a child of a window, or the headless process itself."""
        try:
            for child in psutil.Process(self.process.pid).children(recursive=True):
                if child.cmdline()[-2:] == ["scheduler", "core"]:
                    return child
            words = psutil.Process(self.process.pid).cmdline()
        except psutil.Error:
            return None
        return psutil.Process(self.process.pid) if "scheduler" in words else None

    def kill(self, victim: str, number: signal.Signals = signal.SIGKILL) -> None:
        """Send the signal to core, window or both."""
        core = self.core()
        if victim in ("window", "both"):
            os.kill(self.process.pid, number)
        if victim in ("core", "both", "child") and core is not None:
            try:
                core.send_signal(number)
            except psutil.NoSuchProcess:
                return

    def wait_until_gone(self) -> list[str]:
        """Wait until no process of ours runs; return those that still do after the time limit."""
        deadline_s = time.monotonic() + _GONE_S
        while (left := world.processes(self.home)) and time.monotonic() < deadline_s:
            if self.process.poll() is None and psutil.Process(self.process.pid).status() == psutil.STATUS_ZOMBIE:
                self.process.wait()
            wait_a_moment()
        return left

    def last_words(self) -> str:
        """Return the end of what it printed."""
        return (self.home / "out.log").read_text(errors="replace")[-500:]

    def close(self) -> None:
        """End what is left and reap it."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(_END_S)
        self._log.close()


def run_trial(home: Path, host: str, victim: str, after_s: float, others: str = "") -> Report:
    """Kill `victim` of a fresh sweep after so many seconds; restore; compare, except groups below a folder `others`."""
    before = world.control_groups()
    problems: list[str] = []
    sweep = Sweep(home, host, with_window=victim != "core")
    try:
        ran = not wait_for(lambda: sweep.process.poll() is not None, after_s)
        if sweep.process.poll():
            problems.append(f"ended by itself with {sweep.process.returncode}: {sweep.last_words()}")
        records = records_in(home)
        sweep.kill(victim)
        if victim == "child":
            wait_for(lambda: not records_in(home) and len(world.processes(home)) == 0, _GONE_S)
            problems += [f"the window did not restore: {path.name}" for path in records_in(home)]
            sweep.process.kill()
        problems += [f"still runs: {line}" for line in sweep.wait_until_gone()]
    finally:
        sweep.close()
    return Report(victim, after_s, bool(records), ran, problems + restore_problems(home, before, others))


def records_in(home: Path) -> list[Path]:
    """Return the undo records that are armed."""
    return list((home / "state" / "journal").glob("*.json"))


def restore_problems(home: Path, before: dict[str, str], others: str = "") -> list[str]:
    """Run `domtune restore` and return everything that is not as it was."""
    restore = subprocess.run(
        [sys.executable, "-m", "scheduler", "restore", "--json"],
        cwd=REPO,
        env=environment(home),
        capture_output=True,
        timeout=_END_S,
        check=False,
    )
    problems = [] if restore.returncode == 0 else [f"restore exited {restore.returncode}: {restore.stdout.decode()}"]
    if restore.returncode == 0 and not json.loads(restore.stdout)["clean"]:
        problems.append("restore says that the host is not clean")
    problems += [change for change in world.changes(before) if not others or f"/{others}/" not in change]
    problems += [f"listens: {socket}" for socket in world.listening(home)]
    problems += [f"left: {path.name}" for path in records_in(home)]
    return problems


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a sweep that keeps everything below `home`."""
    return os.environ | {"DOMTUNE_HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "PYTHONUNBUFFERED": "1"}


def moments(count: int, longest_s: float, seed: int) -> list[tuple[str, float]]:
    """Return (victim, seconds) pairs, victims in turn, moments uniform over a sweep's length."""
    dice = random.Random(seed)
    return [(VICTIMS[i % len(VICTIMS)], dice.uniform(0.0, longest_s)) for i in range(count)]


def wait_for(ready, limit_s: float) -> bool:
    """Return True as soon as `ready()` is, False after the limit."""
    deadline_s = time.monotonic() + limit_s
    while not ready():
        if time.monotonic() >= deadline_s:
            return False
        wait_a_moment()
    return True


def wait_a_moment() -> None:
    """Let other processes get on."""
    time.sleep(0.02)  # noqa: TID251 - polling real processes, no event to wait for
