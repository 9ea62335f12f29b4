"""Whatever of the window's processes dies by kill -9, what the window says afterwards is true, and nothing is left."""

import random

import pytest

from tests.crash.truth import run_round
from tests.volume import few, times

pytestmark = pytest.mark.crash


@pytest.mark.parametrize("victim", few(["core", "both"], ["window"]))
@pytest.mark.timeout(times(300, 7_200))
def test_window_after_a_kill_reports_what_is_true(victim, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    for number in range(times(1, 20)):
        after_s = random.uniform(0.5, 4.0)
        truth = run_round(home, f"fake:{home / 'host.json'}", victim, after_s, tmp_path / f"{number}")
        assert truth.problems == [], truth
