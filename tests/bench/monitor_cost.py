"""What looking at both domains once a second costs the core, on `local:` with users' connections open.

Needs the right to make control groups. The cost is that of reading all counters and keeping the sample in the store,
as CPU time of the thread that does it, at the pace of a sweep (caches are cold after a second).
"""

import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg2

from scheduler import places
from scheduler.commands.pending_restores import reopen_recorded_host
from scheduler.databases.postgresql import pg_client
from scheduler.hosts.host_registry import open_host
from scheduler.hosts.protocols import Host
from scheduler.run.lease import HostLease
from scheduler.run.monitor import HostMonitor
from scheduler.store.run_store import RunStore
from tests.bench.figure import Figure

SECONDS = 20
USERS = 6  # five and the probe reader, one server process each
_URL = "local:"


def measure() -> list[Figure]:
    """Return the mean CPU per second of monitoring, as a fraction of one CPU."""
    with _home() as home:
        host = open_host(_URL, lambda *_: None)
        try:
            host.boot()
            with HostLease(host, places.journal_dir(), host.facts().host_id, _URL, reopen_recorded_host) as lease:
                lease.apply(lease.baseline())
                with _connections(host), RunStore(home / "bench.sqlite3") as store:
                    costs_s = _look(host, store)
        finally:
            host.close()
    note = f"({SECONDS} looks, {USERS} connections; dearest {max(costs_s) * 1000:.2f} ms)"
    name = "CPU of monitoring, fraction of one CPU"
    return [Figure(name=name, value=sum(costs_s) / SECONDS, at_most=0.01, note=note)]


def _look(host: Host, store: RunStore) -> list[float]:
    monitor = HostMonitor(host, len(host.facts().shared_cpus))
    began_s = time.monotonic()
    monitor.restart(began_s)
    costs_s: list[float] = []
    for number in range(SECONDS):
        threading.Event().wait(began_s + number + 1 - time.monotonic())
        before_s = time.thread_time()
        now_s = time.monotonic()
        store.append("bench", monitor.sample(now_s, now_s - began_s, 0, {}))
        costs_s.append(time.thread_time() - before_s)
    return costs_s


@contextlib.contextmanager
def _home() -> Iterator[Path]:
    """Give the bench a DomTune of its own; the embedded database's account must be able to enter it."""
    before = os.environ.get("DOMTUNE_HOME")
    with tempfile.TemporaryDirectory(prefix="domtune-bench-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        os.environ["DOMTUNE_HOME"] = folder
        try:
            yield home
        finally:
            if before is None:
                del os.environ["DOMTUNE_HOME"]
            else:
                os.environ["DOMTUNE_HOME"] = before


@contextlib.contextmanager
def _connections(host: Host) -> Iterator[None]:
    params = pg_client.parse_parameters(host.database.url(), host.database.secret())
    opened = [psycopg2.connect(**params) for _ in range(USERS)]
    try:
        yield
    finally:
        for connection in opened:
            connection.close()
