"""Tests of docs/tutorial: the commands run, the plans are valid, and the simulated output is as printed there."""

import re
import shlex
from pathlib import Path

import pytest

from scheduler.commands.arguments import build_parser
from scheduler.commands.plan_argument import read_named_plan
from scheduler.model.plan_file import parse_plan

ROOT = Path(__file__).parents[3]
TUTORIALS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs/tutorial").glob("*.md"))}
CONSOLE = re.compile(r"```console\n(.+?)```", re.DOTALL)


def calls(page: str) -> list[tuple[list[str], list[str]]]:
    """Return each call of DomTune on a page: its arguments, and the lines shown below it."""
    found: list[tuple[list[str], list[str]]] = []
    for block in CONSOLE.findall(TUTORIALS[page]):
        shown: list[str] = []
        for line in block.splitlines():
            if match := re.fullmatch(r"\$ (?:\.venv/bin/)?domtune (.+)", line):
                shown = []
                found.append((shlex.split(match[1], comments=True), shown))
            elif not line.startswith("$") and line != "...":
                shown.append(line)
    return found


@pytest.mark.parametrize("page", TUTORIALS)
def test_command_of_a_tutorial_is_accepted(page: str) -> None:
    assert len(calls(page)) >= 5
    for words, _ in calls(page):
        build_parser().parse_args(words)


@pytest.mark.parametrize("page", TUTORIALS)
def test_plan_of_a_tutorial_is_valid(page: str) -> None:
    for text in re.findall(r"```toml\n(.+?)```", TUTORIALS[page], re.DOTALL):
        parse_plan(text)


def test_simulated_steps_print_the_output_of_the_tutorial(call, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweep of this computer is for live tests."""
    monkeypatch.chdir(home)
    steps = [(words, shown) for words, shown in calls("ten-minutes") if "local:" not in words]
    assert [words[0] for words, _ in steps] == ["run", "run", "runs", "export", "run"]
    for words, shown in steps[:-1]:
        done = call(*words)
        assert done.code == 0, done.err
        assert [line for line in shown if line not in done.out.splitlines()] == [], words


def test_short_plan_of_tutorial_exists() -> None:
    [*_, (words, _)] = calls("ten-minutes")
    assert words == ["run", "short-split"]
    read_named_plan(words[1])
