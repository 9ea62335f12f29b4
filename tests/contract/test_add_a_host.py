"""docs/developers/add-a-host.md, followed to the letter in a copy of the source tree."""

import json
import re
from pathlib import Path

import pytest

from tests.guide_page import ROOT, changed_lines, copy_tree, new_folders, read_blocks, run_python

PARAMS, KINDS = "scheduler/model/scheduler_params.py", "scheduler/model/host_kinds.py"
CONTRACT = "tests/contract/test_percent_host.py"
CHOICE = """
import sys
from PySide6.QtWidgets import QApplication
app = QApplication([])
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard.host_choice import HostChoice
from scheduler.commands.parser import main
card = HostChoice(Theme(app), Settings())
card.cards["percent"].click()
field = card.fields.texts["folder"]
print("field:", field.name.text(), "/", field.isHidden(), "/", card.meaning.text())
field.edit.setText(sys.argv[1])
field.typed.emit(sys.argv[1])
print("url:", card.url.edit.text())
print("status:", main(["probe", card.url.edit.text(), "--json"]))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of the product to which was done what the page says."""
    folder = copy_tree(tmp_path_factory.mktemp("tree"), "tests")
    for path, code in read_blocks("add-a-host.md").items():
        target = folder / path
        if path == PARAMS:
            head, end, tail = target.read_text(encoding="utf-8").partition("\nSchedParams = (\n")
            text = head + "\n" + code + tail.partition("\n)\n")[2]
        elif path == KINDS:
            head, end, tail = target.read_text(encoding="utf-8").rpartition(
                '}\n"""Key to kind of host, the easiest first'
            )
            text = head + code + end + tail
        else:
            text, end = code, "a new file"
            target.parent.mkdir(exist_ok=True)
        assert end, f"{path} is not as it was"
        target.write_text(text, encoding="utf-8")
    page = (ROOT / "docs" / "developers" / "add-a-host.md").read_text(encoding="utf-8")
    [line] = re.findall(r"^modules = .*$", page, re.MULTILINE)
    project = folder / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    old = re.findall(r'^modules = \["scheduler\.hosts\..*$', text, re.MULTILINE)
    project.write_text(text.replace(*old, line), encoding="utf-8")
    return folder


def test_page_touches_its_folder_and_three_files(tree: Path) -> None:
    assert new_folders(tree) == {"scheduler/hosts/percent"}
    changed = {*changed_lines(tree), "pyproject.toml"}
    assert changed == {PARAMS, KINDS, "pyproject.toml"}


def test_host_of_the_page_keeps_the_import_contracts(tree: Path, tmp_path: Path) -> None:
    shown, _ = run_python(tree, tmp_path, "-c", "from importlinter.cli import lint_imports; exit(lint_imports())")
    assert " 0 broken" in shown


def test_host_of_the_page_obeys_the_contract(tree: Path, tmp_path: Path) -> None:
    rules, files = "every_adapter_of_a_host", (CONTRACT, "tests/unit/test_house_rules.py")
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *files)
    shown, _ = run_python(tree, tmp_path, *words, "-k", f"PercentHost or {rules}")
    assert " passed" in shown


def test_host_of_the_page_is_in_wizard_and_preflight(tree: Path, tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.mkdir()
    for domain in ("io", "guest"):
        (agent / domain).write_text("0\n")
        (agent / domain).chmod(0o666 if domain == "io" else 0o644)
    shown, _ = run_python(tree, tmp_path, "-c", CHOICE, str(agent))
    assert "field: Folder of the agent / False / This computer: an agent limits" in shown
    assert f"url: percent:{agent}" in shown
    assert "status: 0" in shown
    probe = json.loads(shown[shown.index("{") : shown.rindex("}") + 1])
    findings = probe["facts"]["findings"]
    assert [finding["text"] for finding in findings] == ["every account may change the limit of io"]
