"""Which process of this computer serves a user of PostgreSQL's, in a container or not."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.loads.tpch import query_counters
from scheduler.loads.tpch.backends import postgresql_backend, postgresql_io_worker
from scheduler.waiting import wait_until
from tests.lacking import lacking

PORT, ANOTHER = 45_678, 45_679
TITLE = "postgres: domtune postgres 127.0.0.1({port}) SELECT"
_INSIDE = "import os; os.execv('/bin/sleep', ['{title}', '60'])"


@contextlib.contextmanager
def process(title: str, *before: str) -> Iterator[int]:
    """Yield the number that a process with that title has here."""
    started = subprocess.Popen([*before, sys.executable, "-S", "-c", _INSIDE.format(title=title)])
    try:
        yield started.pid
    finally:
        started.kill()
        started.wait()


@contextlib.contextmanager
def contained(title: str) -> Iterator[Path]:
    """Yield the folder here of a process that is the first one of a namespace of its own, with that title."""
    with process(title, "unshare", "--pid", "--fork", "--kill-child") as outside:
        yield titled(lambda: _children(outside), title)


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()


def titled(pids, title: str) -> Path:
    def found() -> list[str]:
        return [pid for pid in pids() if Path(f"/proc/{pid}/cmdline").read_text().startswith(title)]

    wait_until(lambda: bool(found()), 20, 0.01)
    return Path("/proc", found()[0])


@pytest.fixture(autouse=True)
def root():
    if os.geteuid() != 0:
        lacking("PID namespaces are made by root")


def test_back_end_is_found_by_its_number_and_the_port_that_it_serves():
    with process(title := TITLE.format(port=PORT)) as pid:
        folder = titled(lambda: [str(pid)], title)
        assert postgresql_backend(pid, PORT) == folder
        assert postgresql_backend(pid, ANOTHER) is None
        assert postgresql_backend(os.getpid(), PORT) is None
        assert postgresql_backend(0, PORT) is None
        assert postgresql_backend(1 << 60, PORT) is None


def test_back_end_in_a_container_is_found_by_what_it_is_called_there_and_its_costs_are_read():
    with contained(TITLE.format(port=PORT)) as folder, contained(TITLE.format(port=ANOTHER)) as other:
        assert (postgresql_backend(1, PORT), postgresql_backend(1, ANOTHER)) == (folder, other)
        assert postgresql_backend(1, PORT + ANOTHER) is None
        spent = query_counters.read_usage(folder)
        assert spent is not None
        assert spent.faults > 0


def test_worker_of_another_server_is_not_taken_for_one_of_this():
    with contained("postgres: io worker 0") as worker, contained(TITLE.format(port=PORT)) as folder:
        assert postgresql_io_worker(1, worker) == worker
        assert postgresql_io_worker(1, folder) == folder
        assert postgresql_io_worker(2, folder) is None
