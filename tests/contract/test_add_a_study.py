"""docs/developers/add-a-study.md, followed to the letter in a copy of the source tree."""

import json
import re
from pathlib import Path

import pytest

from tests.guide_page import changed_lines, copy_tree, merge_lines, new_folders, read_blocks, run_python

UNIONS = "scheduler/model/studies.py"
PLAN = """host = "sim:"
study = "steadiness"
splits = ["1:1", "2:1"]
returns = 4
repeats = 1
measure_s = 3
settle_s = 1
load_settle_s = 1
"""
COMMANDS = """
import json, sys
from scheduler.commands.parser import main
for words in json.loads(sys.argv[1]):
    print(f"---- {main(words)}")
"""
WINDOW = """
from PySide6.QtWidgets import QApplication
app = QApplication([])
from app.background import BackgroundWorker
from app.core_process import CommandRunner
from app.pages.result_data import result_data_of
from app.pages.result_page import ResultPage
from app.pages.sweep_rows import read_rows
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard.plan_texts import review_paragraph
from app.wizard.wizard import Wizard
from scheduler import places
from scheduler.store.run_store import RunStore
theme = Theme(app)
wizard = Wizard(theme, Settings(), CommandRunner())
wizard.page_at(0).question.cards["steadiness"].click()
wizard.go(3)
field = wizard.page_at(3).own["returns"]
print("field:", field.name.text(), "/", field.isHidden(), "/", wizard.page_at(3).own["demand_users"].isHidden())
field.typed.emit("21")
print("refused:", wizard.state.messages["returns"])
field.typed.emit("5")
print("asked:", wizard.state.spec.study.returns, len(wizard.state.spec.settings))
wizard.go(5)
print("review:", review_paragraph(wizard.state.spec, None))
[row] = read_rows(places.store_path())
print("home:", row.name, "/", row.verdict)
with RunStore(places.store_path(), read_only=True) as store:
    documents = list(store.documents(row.run_id))
page = ResultPage(theme, BackgroundWorker(), CommandRunner())
page.show_finding(result_data_of(documents))
print("page:", page.head.sentence.text(), "/", page.study.frame.isHidden(), "/", page.regret.table.model().rowCount())
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of the product to which was done what the page says."""
    folder = copy_tree(tmp_path_factory.mktemp("tree"))
    for path, code in read_blocks("add-a-study.md").items():
        target = folder / path
        if path == UNIONS:
            merge_lines(target, code)
            continue
        target.parent.mkdir(exist_ok=True)
        target.write_text(code, encoding="utf-8")
    return folder


def test_page_touches_two_folders_and_four_lines(tree: Path) -> None:
    assert new_folders(tree) == {"scheduler/studies/steadiness", "app/studies/steadiness"}
    assert changed_lines(tree) == {UNIONS: 4}


def test_study_of_the_page_runs_is_reported_and_is_in_the_window(tree: Path, tmp_path: Path) -> None:
    plan, poor, report, again = (tmp_path / name for name in ("plan.toml", "poor.toml", "report.html", "again.toml"))
    plan.write_text(PLAN)
    poor.write_text(PLAN.replace('["1:1", "2:1"]', '["1:1"]'))
    exports = [["export", "last", "--to", kind, "--out", str(to)] for kind, to in (("html", report), ("plan", again))]
    words = [["run", str(plan), "--dry-run"], ["run", str(plan), "--json"], *exports, ["run", str(poor)]]
    output, messages = run_python(tree, tmp_path, "-c", COMMANDS, json.dumps(words))
    parts = output.split("---- ")
    assert [part[:1] for part in parts[1:]] == ["0", "0", "0", "0", "2"]
    assert "cannot leave and return with one split" in messages
    assert "8 trials" in parts[0]
    results = json.loads(parts[1].partition("\n")[2])
    assert (results["study"], results["answer"]["study"]) == ("steadiness", "steadiness")
    assert [spread["returns"] for spread in results["answer"]["spreads"]] == [4, 4]
    assert re.match(r"Returns lie \S+ % apart at most .* \(simulated\)\.", results["answer"]["headline"])
    assert {point["setting"]["factor"] for point in results["points"]} == {"return"}
    assert "4 returns is itself uncertain" in messages
    assert "returns = 4" in again.read_text()
    for text in (results["answer"]["reasons"][0], "Spread of the returns to each split", "Standard deviation"):
        assert text in report.read_text()
    shown, _ = run_python(tree, tmp_path, "-c", WINDOW)
    assert "field: Returns to each split / False / True" in shown
    assert "refused: " in shown
    assert "asked: 5 10" in shown
    assert "return 5 times to each split" in shown
    assert re.search(r"home: IR, returns / .+ apart", shown)
    assert re.search(r"page: Returns lie .* / False / 2\n", shown)
