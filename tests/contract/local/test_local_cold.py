"""A sweep of this computer whose every query finds a database that remembers nothing."""

import json
import subprocess
import sys

from tests.contract.host_contract import REPO
from tests.contract.local.subject import LocalSubject
from tests.settings import json_label

PLAN = """
host = "local:"
splits = ["1:1"]
protocol = "grid"
repeats = 1
measure_s = {measure_s}
settle_s = 0
load_settle_s = 0
[[load]]
kind = "tpch"
users = 1
scale = 0.01
cold = true
"""


def test_cold_sweep_starts_its_server_again_in_its_split_and_leaves_nothing(place, home, made_by_us):
    before = LocalSubject().snapshot()
    tried = (measured(home, measure_s) for measure_s in (4, 16))  # a busy computer may have time for no whole query
    point, kept = next((one for one in tried if one[1]), (None, ()))
    assert point is not None, "no query was done in 16 s"
    assert max(figure["value"] for figure in kept) < 1_000_000
    assert point["allotted_share"] == {"io": 0.5, "guest": 0.5}
    assert point["valid"], point["reason"]
    assert LocalSubject().snapshot() == before


def measured(home, measure_s):
    """Return the point that was measured, and what each of its queries found in the server's memory."""
    plan = home / "cold.toml"
    plan.write_text(PLAN.format(measure_s=measure_s), "utf-8")
    words = [sys.executable, "-P", "-m", "scheduler", "run", str(plan), "--json"]
    done = subprocess.run(words, cwd=REPO, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    [point] = [each for each in json.loads(done.stdout)["points"] if json_label(each) == "1:1"]
    print(f"{measure_s} s: {point['figures']}")
    return point, [figure for figure in point["figures"] if figure["name"].endswith(" in memory before")]
