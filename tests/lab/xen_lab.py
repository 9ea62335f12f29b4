"""The Xen lab for tests: `domtune lab xen` as a user calls it."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

UP_S = 2_400.0  # with a build from nothing on a busy computer
DOWN_S = 300.0
SETTLED_S = 120.0


class Called(NamedTuple):
    """How a call ended."""

    code: int
    answer: dict[str, Any]
    said: str


class XenLab:
    """The one lab of the `DOMTUNE_HOME` of now; started when first needed, and again only for another scheduler."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)  # tests of sweeps have a home of their own later

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

    def up(self, scheduler: str) -> Called:
        return self.call("up", "--scheduler", scheduler, limit_s=UP_S)

    def down(self) -> Called:
        return self.call("down", limit_s=DOWN_S)

    def lacks(self, scheduler: str) -> str:
        """Return why a scheduler cannot be had here; empty when it can: then the lab is up with it."""
        if scheduler != "rtds" or self.status().answer["scheduler"] == scheduler:
            return ""
        self.down()
        begun = self.up(scheduler)
        if begun.code == 0:
            return ""
        assert "source packages" in begun.answer["text"], begun  # anything else is a fault, not a lack
        return begun.answer["text"]

    def under(self, scheduler: str) -> dict[str, Any]:
        """Return the status of a lab that runs with this scheduler; boots Xen anew where it must."""
        found = self._settled()
        if found["state"] == "up" and found["scheduler"] == scheduler:
            return found
        if found["state"] != "down":
            assert self.down().code == 0
        begun = self.up(scheduler)
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
        config = Path(self.status().answer["ssh_config"])
        words = ["ssh", "-F", str(config), "-o", "BatchMode=yes", "-o", "LogLevel=ERROR", name, line]
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit_s, check=False)
        assert done.returncode == 0, f"{line}: {done.returncode} {done.stdout} {done.stderr}"
        return done.stdout
