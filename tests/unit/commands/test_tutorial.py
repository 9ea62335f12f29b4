"""docs/tutorial/first-sweep.md says what is true today: its commands and plans run, and print what it shows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scheduler.model.plan_file import parse_plan
from scheduler.plans.duration import duration_s

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


def domtune(words: str, home: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scheduler", *words.split()]
    return subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "resources").symlink_to(ROOT / "resources")
    return tmp_path


def test_that_its_commands_run_on_a_sweep_that_is_there_and_its_first_line_is_printed(home: Path):
    """The long sweep of this computer is the live tests'; a simulated one stands for what follows it."""
    assert len(COMMANDS) == 5
    dry, run, *after = COMMANDS
    assert dry == f"{run} --dry-run"
    shown = re.search(r"head -3\n(.+)\n", TEXT)
    assert shown is not None
    assert shown[1] in domtune(dry, home).stdout.splitlines()
    (home / "short.toml").write_text(LIKE_A_SHORT_ONE, encoding="utf-8")
    assert domtune("run short.toml --quiet", home).returncode == 0
    for words in after:
        done = domtune(words, home)
        assert done.returncode == 0, (words, done.stderr)


def test_that_its_shorter_plan_is_one_and_takes_as_long_as_it_says():
    [plan] = re.findall(r"```toml\n(.+?)```", TEXT, re.DOTALL)
    best_s, worst_s = duration_s(parse_plan(plan))
    assert "about three minutes" in TEXT
    assert best_s <= 180 <= worst_s
