"""Watching `local:` beside whoever set its split: counters move, and no control group's file is written."""

from pathlib import Path

import pytest

from scheduler.errors import HostNotUsable
from scheduler.follow.watch_report import build_report
from scheduler.hosts.local.cgroup_paths import PARENT
from scheduler.model.spec import Mode
from scheduler.model.split import parse_split
from scheduler.shares.model_lookup import find_share_model
from tests.contract.local.subject import URL, connect, set_all
from tests.contract.watching import watched

# Others hold counters, and processes, which come and go by themselves.
PARAMETERS = {
    "cpu.shares",
    "cpu.cfs_quota_us",
    "cpu.cfs_period_us",
    "cpu.weight",
    "cpu.max",
    "cpuset.cpus",
    "cpuset.mems",
    "cgroup.subtree_control",
}


def files_of(place):
    """Return when every file of our groups was written, and what the parameters hold."""
    bases = {place.cpu, *place.aside}
    files = [path for base in bases for path in Path(base, PARENT).rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.name in PARAMETERS and path.read_text()) for path in files}


def test_watching_writes_no_file_of_a_control_group_and_sees_what_is_used(swept, place):
    model = find_share_model(place.scheduler)
    set_all(swept, model.encode(parse_split("1:4"), Mode.CAPS, 20_000).params)
    before = files_of(place)
    assert len(before) > 10
    with connect(swept) as connection, connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("SELECT count(*) FROM generate_series(1, 3000000)")
        seen = watched(URL, 120.0)
    connection.close()
    assert files_of(place) == before
    assert (seen.standing.mode, seen.changes, seen.ended) == (Mode.CAPS, 0, "")
    assert (seen.windows, seen.dropped) == (12, {})
    assert seen.standing.allowed.io_cpus == pytest.approx(0.2)
    assert build_report(seen).headline


def test_without_a_split_there_is_nothing_to_watch(made_by_us):
    with pytest.raises(HostNotUsable, match="does not exist") as caught:
        watched(URL)
    assert caught.value.hint
