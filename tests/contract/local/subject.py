"""This computer as a subject of tests, and what a stranger can see of a sweep."""

import contextlib
import os
import threading
import time
from pathlib import Path

import psutil
import psycopg2

from scheduler.hosts.host_registry import open_host, reopen_host
from scheduler.hosts.local.cgroup_paths import PARENT
from scheduler.hosts.local.cgroup_rights import find_cgroup_paths
from scheduler.model.split import GUEST, IO
from tests.contract.host_contract import DOMAINS
from tests.crash import world

URL = "local:"

# A core that dies: it limits its domains, says so, and waits to be killed.
VICTIM = """
import json, sys
from scheduler.hosts.host_registry import open_host
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
host = open_host("local:", lambda command, answer: None)
host.boot()
context = dict(host.context())
for domain in (IO, GUEST):
    base = host.baseline(domain)
    host.write(domain, base)
    host.write(domain, CgroupParams(base.weight, 1_000 if domain == GUEST else 19_000, 20_000))
print(json.dumps(context), flush=True)
sys.stdin.read()
"""


class LocalSubject:
    """This computer."""

    url = URL

    def open(self, command_log):
        return open_host(URL, command_log)

    def snapshot(self):
        # Ours, and the folder they are in: other programs make and remove groups of theirs all the time.
        base = find_cgroup_paths().cpu
        return {path: text for path, text in world.control_groups().items() if path == base or f"/{PARENT}" in path}


def baseline(opened):
    return {domain: opened.host.baseline(domain) for domain in DOMAINS}


def set_all(opened, params):
    for domain, wanted in params.items():
        opened.host.write(domain, wanted)
        assert opened.host.read(domain) == wanted


def connect(opened):
    return psycopg2.connect(opened.host.database.url(), password=opened.host.database.secret(), connect_timeout=10)


def groups_of(pid):
    return Path(f"/proc/{pid}/cgroup").read_text()


def wait_until(fine, limit_s):
    deadline_s = time.monotonic() + limit_s
    while not fine():
        assert time.monotonic() < deadline_s, f"not within {limit_s} s"
        threading.Event().wait(0.01)


def relay_and_postmaster(root=None):
    """Return the two domains' first processes, found as a stranger would: the server by whose data it has."""
    pids, ours = {}, os.environ["DOMTUNE_HOME"]  # a worker may share another server with other modules
    for process in psutil.Process(root).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            words = process.cmdline()
            if "scheduler.hosts.local.relay" in words:
                pids[IO] = process.pid
            elif words and Path(words[0]).name == "postgres" and "-D" in words and ours in " ".join(words):
                pids[GUEST] = process.pid
    return pids


def put_back_after_a_kill(context, originals):
    """Restore as another process would; return how long it took, in seconds."""
    began_s = time.monotonic()
    host = reopen_host(URL, context, lambda command, answer: None)
    for domain, original in originals.items():
        host.write(domain, original)
        assert host.read(domain) == original
    host.close()
    return time.monotonic() - began_s
