"""A sweep of this computer whose every query finds a database that remembers nothing."""

import json
import subprocess
import sys

from tests.contract.host_contract import REPO
from tests.contract.local.subject import LocalSubject

PLAN = """
host = "local:"
splits = ["1:1"]
protocol = "grid"
repeats = 1
measure_s = 4
settle_s = 0
load_settle_s = 0
[[load]]
kind = "tpch"
users = 1
scale = 0.01
cold = true
"""


def test_that_a_cold_sweep_starts_its_server_anew_in_its_split_and_leaves_nothing(place, home, made_by_us):
    before = LocalSubject().snapshot()
    plan = home / "cold.toml"
    plan.write_text(PLAN, "utf-8")
    words = [sys.executable, "-P", "-m", "scheduler", "run", str(plan), "--json"]
    done = subprocess.run(words, cwd=REPO, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    [point] = [each for each in json.loads(done.stdout)["points"] if each["split"] == "1:1"]
    kept = [figure for figure in point["figures"] if figure["name"].endswith(" in memory before")]
    assert kept  # a busy computer has time for one query
    assert max(figure["value"] for figure in kept) < 1_000_000
    assert point["configured_share"] == {"io": 0.5, "guest": 0.5}
    assert point["valid"], point["reason"]
    assert LocalSubject().snapshot() == before
