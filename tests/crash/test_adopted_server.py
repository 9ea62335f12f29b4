"""Somebody else's PostgreSQL, MariaDB or MySQL as the guest: moved for the sweep, restored alive."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.model.split import GUEST, IO
from tests.contract.mariadb_fixture import maria as maria  # noqa: PLC0414 - a fixture
from tests.contract.mysql_fixture import mysql as mysql  # noqa: PLC0414 - a fixture
from tests.contract.postgres_fixture import Database
from tests.contract.postgres_fixture import database as database  # noqa: PLC0414 - a fixture
from tests.crash import world
from tests.crash.trial import REPO, environment, records_in, wait_for
from tests.settings import json_label
from tests.volume import few

pytestmark = [pytest.mark.crash, pytest.mark.live]

PLAN = """
host = "local:"
splits = ["1:1", "1:10"]
protocol = "grid"
repeats = 1
measure_s = 1
settle_s = 0
load_settle_s = 0
[[load]]
kind = "osdb-ir"
users = 1
tuples = 2000
database = "{url}"
"""


def stands(pid: int) -> tuple[str, tuple[int, ...]]:
    """Return where a process stands in every hierarchy, and the CPUs that it may run on."""
    return Path(f"/proc/{pid}/cgroup").read_text(), tuple(sorted(os.sched_getaffinity(pid)))


class Adoption:
    """A sweep whose guest is the fixture's server."""

    def __init__(self, home: Path, database: Database, url: str) -> None:
        self.home = home
        self.pid = database.server.pid
        self.before = stands(self.pid)
        self.groups = world.control_groups()
        plan = home / "plan.toml"
        plan.write_text(PLAN.format(url=url))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scheduler", "run", str(plan), "--json", "--allow-password"],
            cwd=REPO,
            env=environment(home) | dict.fromkeys(("PGPASSWORD", "MYSQL_PWD"), database.server.password),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def wait_until_moved(self) -> None:
        assert wait_for(lambda: stands(self.pid) != self.before or self.process.poll() is not None, 60)
        assert "domtune/guest" in stands(self.pid)[0]

    def end(self) -> tuple[int, dict]:
        out, _ = self.process.communicate(timeout=120)
        return self.process.returncode, json.loads(out or b"{}")


@pytest.fixture
def adoption(tmp_path, database) -> Iterator[Adoption]:
    adoption = Adoption(tmp_path, database, database.url)
    yield adoption
    adoption.process.kill()
    adoption.process.communicate()


@pytest.mark.parametrize("named", few(["database", "maria"], ["mysql"]))
def test_named_server_is_swept_in_the_guests_group_and_restored(request, tmp_path, named):
    database = request.getfixturevalue(named)
    adoption = Adoption(tmp_path, database, database.url)
    adoption.wait_until_moved()
    code, answer = adoption.end()
    assert (code, answer["outcome"], answer["restored"]) == (0, "completed", True), answer["reason"]
    assert stands(adoption.pid) == adoption.before
    assert database.ask("SELECT 1") == [(1,)]
    starved = next(point for point in answer["points"] if json_label(point) == "1:10")
    assert starved["used_share"]["guest"] > 0
    assert world.changes(adoption.groups) == []


def test_killed_sweep_gives_a_named_server_back_alive(adoption, database):
    adoption.wait_until_moved()
    adoption.process.kill()
    adoption.process.wait()
    assert records_in(adoption.home)
    restored = subprocess.run(
        [sys.executable, "-m", "scheduler", "restore"], cwd=REPO, env=environment(adoption.home), check=False
    )
    assert restored.returncode == 0
    assert database.server.pid == adoption.pid
    assert stands(adoption.pid) == adoption.before
    assert database.ask("SELECT 1") == [(1,)]
    assert world.changes(adoption.groups) == []


def test_killed_sweep_gives_a_named_server_back_from_groups_that_are_kept(tmp_path, database):
    host = open_host("local:", ignore_command)
    for domain in (IO, GUEST):
        host.write(domain, host.baseline(domain))
    host.close()
    adoption = Adoption(tmp_path, database, database.url)
    try:
        adoption.wait_until_moved()  # for a trial to the host as found: every parameter is the original
        adoption.process.kill()
        adoption.process.wait()
        words = [sys.executable, "-m", "scheduler", "restore"]
        assert subprocess.run(words, cwd=REPO, env=environment(tmp_path), check=False).returncode == 0
        assert stands(adoption.pid) == adoption.before
        assert world.changes(adoption.groups) == []
    finally:
        adoption.process.kill()
        adoption.process.communicate()
        for domain in (IO, GUEST):
            host.write(domain, None)
        host.close()


def test_what_listens_but_is_no_postgresql_is_refused_before_anything_is_touched(tmp_path, database):
    with socket.create_server(("127.0.0.1", 0)) as other:  # as a container's proxy or a connection pooler does
        adoption = Adoption(tmp_path, database, f"postgresql://x@127.0.0.1:{other.getsockname()[1]}/x")
        code, answer = adoption.end()
    assert code == 2
    assert f"process {os.getpid()}" in answer["reason"]
    assert "is not the PostgreSQL server" in answer["reason"]
    assert world.changes(adoption.groups) == []


@pytest.mark.parametrize("url", few(["postgresql://x@192.0.2.7/x"], ["postgresql://x@127.0.0.1:1/x"]))
def test_server_elsewhere_is_refused_before_anything_is_touched(tmp_path, database, url):
    adoption = Adoption(tmp_path, database, url)
    code, answer = adoption.end()
    assert code == 2
    assert "no server of this computer listens" in answer["reason"]
    assert not records_in(tmp_path)
    assert world.changes(adoption.groups) == []
