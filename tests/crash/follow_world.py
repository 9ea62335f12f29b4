"""A made-up host with limits, and what follows it in processes of its own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.crash.trial import REPO, environment, records_in, wait_for

HOST_ID = "followed"
LIMITED = {"dialect": "cgroup", "weight": 100, "quota_us": 50_000, "period_us": 100_000}
_WAIT_S = 30.0


def file_of(home):
    return Path(home) / "host.json"


class FollowWorld:
    """One home, one host; `start` follows it until it was changed."""

    def __init__(self, home):
        self.home = home
        self.file = file_of(home)
        self.file.write_text(json.dumps({"io": LIMITED, "guest": LIMITED}))
        self.found = self.read()
        self.client = None
        self.local_guard = 0

    def read(self):
        return json.loads(self.file.read_bytes())

    def start(self, limit_s=2.0):
        """Follow; return when the host is changed."""
        words = [sys.executable, "-m", "tests.crash.follow_client", str(self.home), str(limit_s)]
        self.client = subprocess.Popen(words, cwd=REPO, env=environment(self.home), stdout=subprocess.PIPE)
        self.local_guard = int(self.client.stdout.readline())
        assert wait_for(lambda: self.read() != self.found, _WAIT_S)
        return self

    def send(self, number, whom="client"):
        os.kill(self.client.pid if whom == "client" else self.local_guard, number)

    def client_ends(self):
        """Wait for it to end; return its code and its last line."""
        out, _ = self.client.communicate(timeout=_WAIT_S)
        lines = out.splitlines()
        return self.client.returncode, json.loads(lines[-1]) if lines else {}

    def is_back(self):
        return self.read() == self.found and not records_in(self.home)

    def comes_back(self):
        return wait_for(self.is_back, _WAIT_S)

    def local_guard_ends(self):
        return wait_for(lambda: not alive(self.local_guard), _WAIT_S)

    def restore(self, *words):
        return subprocess.run(
            [sys.executable, "-m", "scheduler", "restore", "--json", *words],
            cwd=REPO,
            env=environment(self.home),
            capture_output=True,
            timeout=_WAIT_S,
            check=False,
        )

    def close(self):
        for pid in (self.client and self.client.pid, self.local_guard):
            if pid and alive(pid):
                os.kill(pid, signal.SIGKILL)
        if self.client is not None:
            self.client.stdout.close()
            self.client.wait(_WAIT_S)


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
