"""Kill -9 in the middle of a scale-up study of this computer: the guest's CPUs are given back, nothing is left."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from scheduler.errors import HostNotUsable
from scheduler.hosts.local.cgroup_paths import group_folder
from scheduler.hosts.local.cgroup_rights import find_cgroup_paths
from scheduler.hosts.local.local_cpus import parse_cpu_tuple
from scheduler.model.split import GUEST
from tests.contract.postgres_fixture import memory_folder, open_folder
from tests.crash import world
from tests.crash.trial import Sweep, records_in, restore_problems, wait_for
from tests.lacking import lacking

pytestmark = [pytest.mark.crash, pytest.mark.live]

PLAN = """
host = "{host}"
study = "scale-up"
vcpus = [1, 2]
repeats = 20
measure_s = 1
settle_s = 0
load_settle_s = 0
[[load]]
kind = "osdb-ir"
users = 2
tuples = 2000
"""
_START_S = 60.0


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with open_folder(memory_folder()) as folder:
        yield folder


@pytest.fixture(scope="module")
def cpus_file() -> Path:
    try:
        place = find_cgroup_paths()
    except HostNotUsable as error:
        lacking(f"{error} {error.hint}")
    if len(place.cpus) < 2 or not place.cpuset:
        lacking("two CPUs that CPU sets can be made of")
    return group_folder(place.cpuset, GUEST) / "cpuset.cpus"


def test_kill_9_while_the_guest_has_two_cpus_gives_them_back(home, cpus_file):
    before = world.control_groups()
    sweep = Sweep(home, "local:", with_window=False, text=PLAN)
    try:
        assert wait_for(lambda: cpus_file.exists() and len(parse_cpu_tuple(cpus_file.read_text())) == 2, _START_S)
        (record,) = records_in(home)
        written = msgspec.json.decode(record.read_bytes())
        assert written["undo"]["originals"] == {"io": None, "guest": None, "guest-vcpus": None}
        sweep.kill("core")
        assert sweep.wait_until_gone() == []
        assert cpus_file.exists()
    finally:
        sweep.close()
    problems = restore_problems(home, before)
    assert [problem for problem in problems if "/domtune-test-" not in problem] == []  # groups of other tests
    assert not cpus_file.exists()
