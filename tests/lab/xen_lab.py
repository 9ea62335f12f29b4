"""The Xen lab for tests: `domtune lab xen` as a user calls it."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from labs.xen import folders
from labs.xen.emulator import LabEmulator

UP_S = 2_400.0  # with a build from nothing on a busy computer
DOWN_S = 300.0
SETTLED_S = 120.0


class Called(NamedTuple):
    """How a call ended."""

    code: int
    answer: dict[str, Any]
    said: str


class XenLab:
    """The one lab of the `DOMTUNE_HOME` of now; started when first needed."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)  # tests of sweeps have a home of their own later
        self._folder = folders.running_dir()

    def call(self, *words: str, limit_s: float = 120.0) -> Called:
        """Run `domtune lab xen WORDS --json`."""
        done = subprocess.run(
            [sys.executable, "-m", "scheduler", "lab", "xen", *words, "--json"],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )
        assert done.stdout.count("\n") == 1, f"not one object: {done.stdout!r} {done.stderr!r}"
        return Called(done.returncode, json.loads(done.stdout), done.stderr)

    def status(self) -> Called:
        return self.call("status")

    def up(self, scheduler: str, *more: str) -> Called:
        begun = self.call("up", "--scheduler", scheduler, *more, limit_s=UP_S)
        # The emulator is a session of its own, and where the kernel shares the processors between sessions first (its
        # "autogroup"), the nice value that the emulator has from its lane says nothing.
        with contextlib.suppress(OSError):
            Path(f"/proc/{begun.answer['pid']}/autogroup").write_text(str(os.nice(0)))
        return begun

    def down(self) -> Called:
        return self.call("down", limit_s=DOWN_S)

    def end(self) -> None:
        """End it at once, as nothing in it is kept anyway: `down`, which has a test of its own, shuts it down first."""
        LabEmulator(self._folder).end()
        assert self.down().code == 0

    def anew(self, scheduler: str) -> dict[str, Any]:
        """Return the status of a lab that nothing has happened to yet."""
        self.end()
        return self.under(scheduler)

    def missing_reason(self, scheduler: str) -> str:
        """Return why a scheduler cannot be had here; empty when it can: then the lab is up with it."""
        if scheduler != "rtds" or self.status().answer["scheduler"] == scheduler:
            return ""
        self.end()
        begun = self.up(scheduler)
        if begun.code == 0:
            return ""
        assert "source packages" in begun.answer["text"], begun  # anything else is a fault, not a lack
        return begun.answer["text"]

    def under(self, scheduler: str) -> dict[str, Any]:
        """Return the status of a lab that runs with this scheduler; ends one that runs with another."""
        found = self._settled()
        if found["state"] == "up" and found["scheduler"] == scheduler:
            return found
        if found["state"] != "down":
            self.end()
        begun = self.up(scheduler)
        assert begun.code == 0, f"{begun.answer['text']} {begun.answer['hint']}\n{begun.said}"
        return begun.answer

    def pair(self, scheduler: str) -> dict[str, Any]:
        """Return the status of a lab with two guests, started anew."""
        self.end()
        begun = self.up(scheduler, "--guests", "2")
        assert begun.code == 0, f"{begun.answer['text']} {begun.answer['hint']}\n{begun.said}"
        return begun.answer

    def wide(self, scheduler: str, guests: int = 1) -> dict[str, Any]:
        """Return the status of a lab with four CPUs; start one unless it runs."""
        found = self._settled()
        if found["state"] == "up" and [domain["vcpus"] for domain in found["domains"]] == [4] * (1 + guests):
            return found
        self.end()
        begun = self.up(scheduler, "--cpus", "4", "--guests", str(guests))
        assert begun.code == 0, f"{begun.answer['text']} {begun.answer['hint']}\n{begun.said}"
        return begun.answer

    def _settled(self) -> dict[str, Any]:
        """Return the status; of a lab whose guest was just rebooted, say, not before it is well again."""
        deadline_s = time.monotonic() + SETTLED_S
        while (found := self.status().answer)["state"] == "unwell" and time.monotonic() < deadline_s:
            threading.Event().wait(5.0)
        return found

    def ssh(self, name: str, line: str, *, limit_s: float = 90.0) -> str:
        """Run a line of shell in Dom0 (`domtune-xen`) or the guest (`domtune-xen-guest`)."""
        words = [
            "ssh",
            "-F",
            str(self._folder / "ssh_config"),
            "-o",
            "BatchMode=yes",
            "-o",
            "LogLevel=ERROR",
            name,
            line,
        ]
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit_s, check=False)
        assert done.returncode == 0, f"{line}: {done.returncode} {done.stdout} {done.stderr}"
        return done.stdout
