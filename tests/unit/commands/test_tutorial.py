"""docs/tutorial/first-sweep.md says what is true today: its commands and plans run, and print what it shows."""

import re
from pathlib import Path

import pytest

from scheduler.model.plan_file import parse_plan
from scheduler.plans.study_plan import duration_s

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs/tutorial/first-sweep.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ \.venv/bin/domtune (.+?)(?: \| head -3)?$", TEXT, re.MULTILINE)
LIKE_A_SHORT_ONE = """
host = "sim:"
splits = ["1:1", "1:2"]
protocol = "grid"
repeats = 1
[[load]]
kind = "osdb-ir"
"""


def test_commands_of_tutorial_run_after_a_sweep(call, home: Path, monkeypatch: pytest.MonkeyPatch):
    """The long sweep of this computer is the live tests'; a simulated one stands for what follows it."""
    (home / "resources").symlink_to(ROOT / "resources")
    monkeypatch.chdir(home)
    assert len(COMMANDS) == 5
    dry, run, *after = COMMANDS
    assert dry == f"{run} --dry-run"
    shown = re.search(r"head -3\n(.+)\n", TEXT)
    assert shown is not None
    assert shown[1] in call(*dry.split()).out.splitlines()
    (home / "short.toml").write_text(LIKE_A_SHORT_ONE, encoding="utf-8")
    assert call("run", "short.toml", "--quiet").code == 0
    for words in after:
        done = call(*words.split())
        assert done.code == 0, (words, done.err)


def test_shorter_plan_of_tutorial_takes_the_stated_time():
    [plan] = re.findall(r"```toml\n(.+?)```", TEXT, re.DOTALL)
    best_s, worst_s = duration_s(parse_plan(plan))
    assert "about three minutes" in TEXT
    assert best_s <= 180 <= worst_s
