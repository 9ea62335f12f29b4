"""docs/how-to/add-a-study.md, followed to the letter in a copy of the source tree."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "add-a-study.md"
RECORDS, FINDINGS = "scheduler/model/studies.py", "scheduler/model/study_findings.py"
PLAN = """host = "sim:"
study = "steadiness"
splits = ["1:1", "2:1"]
repeats = 3
measure_s = 3
settle_s = 1
load_settle_s = 1
"""
WINDOW = """
from PySide6.QtWidgets import QApplication
app = QApplication([])
from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.pages.result_data import result_data_of
from app.pages.result_page import ResultPage
from app.pages.sweep_rows import read_rows
from app.theme.theme import Theme
from scheduler import places
from scheduler.store.run_store import RunStore
[row] = read_rows(places.store_path())
print("home:", row.name, "/", row.verdict)
with RunStore(places.store_path(), read_only=True) as store:
    documents = list(store.documents(row.run_id))
page = ResultPage(Theme(app), BackgroundWorker(), CommandRunner())
page.show_finding(result_data_of(documents))
print("chart:", page.study.frame.isHidden())
print("page:", page.head.sentence.text(), "/", page.regret.table.model().rowCount())
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of the product to which was done what the page says."""
    folder = tmp_path_factory.mktemp("tree")
    for part in ("app", "scheduler", "labs", "resources"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*.png", "*.pyc.*"))
    blocks = dict(re.findall(r"^```python\n# (\S+)\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL))
    records, findings = folder / RECORDS, folder / FINDINGS
    head, end, tail = records.read_text().rpartition("\nStudy = ")
    assert end, "the union of studies does not begin as it did"
    records.write_text(f"{head}\n{blocks.pop(RECORDS)}{tail.partition(chr(10))[2]}")
    head, end, tail = findings.read_text().rpartition("StudyFinding = ")
    assert end, "the findings do not end as they did"
    findings.write_text(head + blocks.pop(FINDINGS))
    for path, code in blocks.items():
        target = folder / path
        assert target.parent.parent.name == "studies", "a study touches files outside of its package"
        target.parent.mkdir(exist_ok=True)
        target.write_text(code)
    return folder


def run(tree: Path, home: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(tree), "DOMTUNE_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_pages_study_runs_is_reported_and_opens_in_the_window(tree: Path, tmp_path: Path):
    plan, report = tmp_path / "plan.toml", tmp_path / "report.html"
    plan.write_text(PLAN)
    assert "6 trials" in run(tree, tmp_path, "-m", "scheduler", "run", str(plan), "--dry-run")
    results = json.loads(run(tree, tmp_path, "-m", "scheduler", "run", str(plan), "--json"))
    assert (results["study"], results["answer"]["study"]) == ("steadiness", "steadiness")
    assert results["answer"]["worst_cv"] > 0
    assert re.match(r"Trials lie \S+ % apart at most .* \(simulated\)\.", results["answer"]["headline"])
    run(tree, tmp_path, "-m", "scheduler", "export", "last", "--to", "html", "--out", str(report))
    for text in (results["answer"]["reasons"][0], "Standard deviation at each split", "Largest standard deviation"):
        assert text in report.read_text()
    shown = run(tree, tmp_path, "-c", WINDOW)
    assert "home: IR, repeated trials / Trials lie" in shown
    assert "page: Trials lie" in shown
    assert "chart: False" in shown
    assert shown.rstrip().endswith("/ 1")
