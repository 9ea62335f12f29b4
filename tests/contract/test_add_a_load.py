"""docs/how-to/add-a-load.md, followed to the letter in a copy of the source tree."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.third_kind import REGISTRY, files_of_the_page, third_kind, tree_with_the_kind

KIND = third_kind().name
PLAN = """
host = "{host}"
splits = ["1:1", "2:1"]
protocol = "grid"
repeats = 1
measure_s = 1
settle_s = 0
load_settle_s = 0
[[load]]
kind = "{kind}"
rows = 20
"""
BESIDE_OTHERS = """
[[load]]
kind = "osdb-ir"
[[load]]
kind = "osdb-oltp"
[objective]
name = "limited"
load = "{kind}"
limit_frac = 0.5
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    return tree_with_the_kind(tmp_path_factory.mktemp("tree"))


def run(tree: Path, *words: str, home: Path) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(tree), "DOMTUNE_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=280, check=False)


def laws_in(tree: Path, home: Path, *words: str) -> None:
    done = run(tree, "pytest", "-q", "-p", "no:cacheprovider", *words, home=home)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert " passed" in done.stdout


def test_that_beside_its_own_modules_a_load_touches_one_file():
    assert [path for path in files_of_the_page() if not path.startswith("scheduler/loads/ranges/")] == [REGISTRY]


def test_that_the_pages_load_obeys_the_laws_of_loads_on_a_real_database(tree: Path, tmp_path: Path):
    """Those that hang on what a kind does; parking and closing are the users' own, whatever they run."""
    laws = "whole_seconds or check_after_the_end"
    laws_in(tree, tmp_path, "tests/contract/test_osdb_loads.py", "-k", f"{KIND} and ({laws})")


def test_that_every_part_knows_the_pages_load(tree: Path, tmp_path: Path):
    laws_in(tree, tmp_path, "tests/unit/model/test_load_kinds.py", "-k", f"{KIND} or no_other or papers_kinds")


@pytest.mark.parametrize(("host", "more"), [("sim:", BESIDE_OTHERS), ("fake:{home}/host.json", "")])
def test_that_a_sweep_with_the_pages_load_runs_and_is_exported(tree: Path, tmp_path: Path, host: str, more: str):
    plan = tmp_path / "plan.toml"
    plan.write_text((PLAN + more).format(host=host.format(home=tmp_path), kind=KIND))
    done = run(tree, "scheduler", "run", str(plan), "--json", home=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    results = json.loads(done.stdout)
    points = [point for point in results["points"] if point["load"] == KIND]
    assert {point["split"] for point in points} >= {"1:1", "2:1"}
    assert all(point["mean_tps"] > 0 for point in points)
    exported = run(
        tree,
        "scheduler",
        "export",
        results["run_id"],
        "--to",
        "plan",
        "--out",
        str(tmp_path / "again.toml"),
        home=tmp_path,
    )
    assert exported.returncode == 0, exported.stderr
    assert "rows = 20" in (tmp_path / "again.toml").read_text()
    if host == "sim:":
        assert any("Ranges is simulated as IR" in line for line in results["deviations"])
    for kind, name in (("html", "run.html"), ("csv", "run.csv")):
        words = ("export", results["run_id"], "--to", kind, "--out", str(tmp_path / name))
        export = run(tree, "scheduler", *words, home=tmp_path)
        assert export.returncode == 0, export.stderr
        assert ("Ranges" if kind == "html" else KIND) in (tmp_path / name).read_text()


def test_that_the_window_has_the_pages_load(tree: Path, tmp_path: Path):
    code = "; ".join(
        (
            "from PySide6.QtWidgets import QApplication",
            "app = QApplication([])",
            "from app.core_process import CommandRunner",
            "from app.settings import Settings",
            "from app.theme.theme import Theme",
            "from app.wizard.wizard import Wizard",
            "wizard = Wizard(Theme(app), Settings(), CommandRunner())",
            f"card = wizard.page_at(3).cards[{KIND!r}]",
            "print(card.on.isChecked(), card.on.text())",
            "card.on.click()",
            "print(card.inputs.others['rows'].name.text(), card.inputs.others['rows'].edit.text())",
            "card.inputs.others['rows'].typed.emit('30')",
            "wizard.go(5)",
            "from app.wizard.plan_texts import review_paragraph",
            "print(review_paragraph(wizard.state.spec, None))",
            "print(dict(wizard.state.spec.loads[-1].parameters))",
        )
    )
    environment = {**os.environ, "PYTHONPATH": str(tree), "DOMTUNE_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "False Ranges: neighbouring rows" in done.stdout
    assert "In a range 10" in done.stdout
    assert "{'rows': 30}" in done.stdout
    assert "5 users read ranges (Ranges)" in done.stdout
