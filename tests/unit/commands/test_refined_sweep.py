"""A sweep that goes on between its splits, from the plan to the exports, on a simulated machine."""

import json
import math

import pytest

from scheduler import places
from scheduler.model.documents import Notice
from scheduler.store.run_store import RunStore
from tests.settings import json_label

SPLITS = ("1:9", "1:4", "1:1", "4:1")
TOP = -0.55  # between 1:4 and 1:1
MACHINE = {
    "schema": "domtune-machine/1",
    "kind": "surface",
    "splits": ["1:9", "1:4", "3:5", "1:1", "4:1"],
    "loads": {"osdb-ir": [math.exp(-0.2 * (math.log(x) - TOP) ** 2) for x in (1 / 9, 1 / 4, 3 / 5, 1, 4)]},
    "scale_tps": {"osdb-ir": 400},
    "noise": "none",
}
WINDOWS = 'protocol = "adaptive"\nrefine = true'


@pytest.fixture
def refined(home, plan):
    """Return the path of a plan whose best split lies between two of its own."""
    (home / "machine.json").write_text(json.dumps(MACHINE))
    splits = f"splits = {json.dumps(SPLITS)}"
    return plan(host=f'host = "sim:{home / "machine.json"}"', splits=splits, windows=WINDOWS)


def test_run_with_refine_measures_a_split_between_splits(call, refined, home):
    answer = call("run", refined, "--json", "--quiet")
    assert answer.code == 0
    assert answer.json["restored"]
    assert not list((home / "state" / "journal").glob("*.json"))
    advice, measured = answer.json["answer"], {json_label(point) for point in answer.json["points"]}
    added = measured - {*SPLITS, "baseline"}
    assert json_label(advice) in added
    assert not advice["interpolated"]
    assert any("not in the plan" in reason for reason in advice["reasons"])
    with RunStore(places.store_path(), read_only=True) as store:
        reported = [
            document.text for document in store.documents(answer.json["run_id"]) if isinstance(document, Notice)
        ]
    assert sum(text.endswith("It is measured now.") for text in reported) == len(added)
    target = home / "again"
    assert call("export", "last", "--to", "machine", "--out", str(target)).code == 0
    assert added <= set(json.loads((home / "again.json").read_text())["splits"])


def test_dry_run_with_refine_names_range_of_further_splits(call, refined):
    findings = call("run", refined, "--dry-run", "--json").json["findings"]
    assert any(
        finding["text"] == "up to 3 further splits between 1:9 and 4:1 may be measured (refine)."
        for finding in findings
    )
