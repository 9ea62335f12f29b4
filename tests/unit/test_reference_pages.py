"""Tests of docs/reference: pages that packaging scripts write from declarations, and names that those must declare."""

import argparse
import re
import runpy
import shlex
from pathlib import Path

import pytest

from scheduler import places
from scheduler.commands.arguments import COMMANDS, INTERNAL_COMMANDS, build_parser

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
BUILDERS = {
    "command-line.md": ("make_command_line", "build_page"),
    "documents.md": ("make_reference", "build_documents"),
    "glossary.md": ("make_glossary", "build_page"),
    "places.md": ("make_reference", "build_places"),
    "results-schema.md": ("make_reference", "build_results"),
    "splits.md": ("make_split_table", "text"),
}
WHOLE = {"glossary.md", "splits.md"}
# Variables that DomTune sets for its own child processes.
INTERNAL = {"DOMTUNE_SSH_NAMES", "DOMTUNE_SCOPED", "DOMTUNE_USERS", "DOMTUNE_SCRIPT", "DOMTUNE_CHECKED"}
# Variables of a bundle's scripts, described in docs/how-to/apply-and-roll-back.md.
BUNDLE = {"DOMTUNE_IO_GROUP", "DOMTUNE_GUEST_GROUP", "DOMTUNE_URI"}
# Variables of the program of --notify, described in docs/how-to/continue-in-the-background.md.
NOTICE = {"DOMTUNE_NOTICE", "DOMTUNE_KIND", "DOMTUNE_OUTCOME", "DOMTUNE_RESTORED", "DOMTUNE_URL"}


def built(script: str, function: str, *pages: str) -> str:
    return runpy.run_path(str(ROOT / "packaging" / f"{script}.py"))[function](*pages)


@pytest.fixture(autouse=True)
def packaging_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "packaging")


@pytest.mark.parametrize("name", BUILDERS)
def test_reference_page_has_the_text_of_its_script(name: str) -> None:
    script, function = BUILDERS[name]
    page = (REFERENCE / name).read_text(encoding="utf-8")
    assert page == built(script, function, *([] if name in WHOLE else [page])), f"run: python packaging/{script}.py"


def test_plan_page_has_the_text_of_its_scripts() -> None:
    page = (REFERENCE / "plan-file.md").read_text(encoding="utf-8")
    assert page == built("make_plan_tables", "build_page", page), "run: python packaging/make_plan_tables.py"
    assert page == built("make_reference", "build_hosts", page), "run: python packaging/make_reference.py"


def test_safety_page_has_the_ticket_of_the_report() -> None:
    page = (ROOT / "docs" / "explanation" / "safety.md").read_text(encoding="utf-8")
    assert page == built("make_reference", "build_ticket", page), "run: python packaging/make_reference.py"


def test_reference_has_every_block_of_a_command() -> None:
    page = (REFERENCE / "command-line.md").read_text(encoding="utf-8")
    assert re.findall(r"^## domtune (.+)$", page, re.MULTILINE) == [command.name for command in COMMANDS]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_example_of_a_command_is_accepted(command) -> None:
    for line, meaning in command.examples:
        assert meaning
        assert build_parser().parse_args(shlex.split(line)).word == command.name


def test_unknown_command_names_no_internal_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["nonsense"])
    shown = capsys.readouterr().err
    assert "restore" in shown
    assert not set(INTERNAL_COMMANDS) & set(re.findall(r"\w+", shown))


def test_help_of_every_argument_is_a_plain_phrase() -> None:
    [commands] = [each for each in build_parser()._actions if isinstance(each, argparse._SubParsersAction)]
    for name, parser in commands.choices.items():
        for action in parser._actions:
            assert action.help, (name, action.dest)
            assert not action.help.startswith("Empty"), (name, action.dest)
            assert not action.help.endswith("."), (name, action.dest)


def test_environment_variables_of_the_code_are_declared() -> None:
    texts = [
        path.read_text(encoding="utf-8")
        for folder in ("scheduler", "app", "labs")
        for path in (ROOT / folder).rglob("*.py")
    ]
    used = {name for text in texts for name in re.findall(r"\bDOMTUNE_[A-Z_]*[A-Z]\b", text)}
    assert used - INTERNAL - BUNDLE - NOTICE == {name for name in places.ENVIRONMENT if name.startswith("DOMTUNE_")}


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("how-to/troubleshooting.md", 30),
        ("how-to/restore-after-a-crash.md", 2),
        ("how-to/watch-a-host.md", 8),
        ("tutorial/first-host.md", 2),
    ],
)
def test_message_in_a_table_of_a_page_is_in_the_code(page: str, least: int) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    messages = [
        re.sub(r"\b(FOLDER|2 %|95 %|1:3\.9,|2:5)", "...", message)
        for message in re.findall(r"^\| [`*]([^`*]{10,})[`*]", text, re.MULTILINE)
        if " " in message
    ]
    assert len(messages) >= least
    split_literal = re.compile(r"[\"']\s*\n\s*f?[\"']")
    sources = [split_literal.sub("", path.read_text("utf-8")).casefold() for path in (ROOT / "scheduler").rglob("*.py")]
    missing = []
    for message in messages:
        parts = [part for part in message.casefold().split("...") if part.strip(" :,.'()")]
        assert max(map(len, parts)) > 7, message
        if not any(all(part in source for part in parts) for source in sources):
            missing.append(message)
    assert missing == []
