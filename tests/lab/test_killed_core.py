"""A sweep of the Xen lab whose core is killed at random moments: its guard alone puts the host back.

DOMTUNE_LAB_ROUNDS says how often.
"""

import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scheduler import places
from scheduler.hosts.remote.guard import TTL_S
from tests.guard_world import wait_for
from tests.lab.guard_lab import DOM0_ALIAS, ROUND_S, Dom0, knowing

ROUNDS = int(os.environ.get("DOMTUNE_LAB_ROUNDS", "1"))
RECORD_S = 180.0  # connecting and looking
LATEST_S = 45.0  # after the undo record: the guard armed, tables made, splits set, trials
BASE = "/run/domtune"
PLAN = """host = "xl+ssh://{dom0}"
splits = ["1:5", "5:1"]
mode = "{mode}"
protocol = "grid"
repeats = 3
measure_s = 5
settle_s = 1
load_settle_s = 1
[[load]]
kind = "osdb-ir"
users = 2
tuples = 2000
database = "{database}"
"""

_STEPS = re.compile(r"up (\d+ s: (?:fired|restore ended with \d))")

pytestmark = [pytest.mark.lab, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def xen(xen_lab):
    return xen_lab.under("credit2") if "DOMTUNE_LAB_SSH" not in os.environ else xen_lab.status().answer


@pytest.fixture(scope="module")
def desk(xen, tmp_path_factory):
    """A home of its own whose ssh knows the lab."""
    folder, config = tmp_path_factory.mktemp("killed"), Path(xen["ssh_config"])
    with knowing(config, folder):
        yield Dom0(config, folder / "looking")


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_killed_core_is_restored_by_its_guard_alone(desk, xen, tmp_path, round_):
    before = desk.values()
    plan = tmp_path / "plan.toml"
    mode = ("caps", "weights")[round_ % 2]
    plan.write_text(PLAN.format(dom0=DOM0_ALIAS, mode=mode, database=xen["database_url"]))
    core = subprocess.Popen(
        [sys.executable, "-m", "scheduler", "run", str(plan), "--json", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    wait_for(lambda: records() or core.poll() is not None, RECORD_S, "no undo record")
    assert core.poll() is None, core.communicate()
    moment_s = random.uniform(0.0, LATEST_S)
    with pytest.raises(subprocess.TimeoutExpired):  # it must not end by itself
        core.communicate(timeout=moment_s)
    core.kill()
    core.communicate(timeout=60)
    killed_s = time.monotonic()
    state = desk.state(BASE)
    desk.wait_until_over(BASE, TTL_S + 2 * ROUND_S)
    over_s, log = time.monotonic() - killed_s, desk.log(BASE)
    assert desk.values() == before, log
    restored = subprocess.run(
        [sys.executable, "-m", "scheduler", "restore", "--json"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    reported = {"mode": mode, "after_s": round(moment_s, 1), "guard": state, "over_s": round(over_s, 1)}
    print(json.dumps({**reported, "log": _STEPS.findall(log)}))
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert records() == []
    assert desk.state(BASE) == "none"
    assert desk.values() == before


def records():
    return list(places.journal_dir().glob("*.json"))
