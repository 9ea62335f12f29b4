"""The CPU budgets of test folders: what passes them, and what a slower machine may use."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cpu_budget import (
    ALL_S,
    BUDGETS_S,
    MARGIN,
    REFERENCE_LOOP_S,
    SERVERS_S,
    START_S,
    allowed_s,
    folder_of,
    passed_budgets,
)

FOLDER = "contract/xen"
LIMIT_S = allowed_s(FOLDER, [], 1)
START = "start and collection"
TESTS = Path(__file__).parents[1]
WORKERS = 10  # of the Makefile


def test_passed_budgets_names_only_the_folder_that_used_more():
    used_s = {FOLDER: LIMIT_S + 0.1, "golden": 0.1}
    assert passed_budgets(used_s, [REFERENCE_LOOP_S], 1) == [(FOLDER, LIMIT_S + 0.1, LIMIT_S)]


def test_allowed_s_exceeds_the_budget_by_the_margin():
    assert BUDGETS_S[FOLDER] * MARGIN <= LIMIT_S


def test_passed_budgets_allows_exactly_the_limit():
    assert passed_budgets({FOLDER: LIMIT_S}, [], 1) == []


@pytest.mark.parametrize(("slowness", "factor"), [(0.5, 1.0), (1.0, 1.0), (3.0, 3.0)])
def test_allowed_s_grows_on_a_slower_machine_only(slowness, factor):
    assert allowed_s(FOLDER, [REFERENCE_LOOP_S * slowness], 1) == pytest.approx(LIMIT_S * factor)


def test_allowed_s_of_start_grows_with_processes():
    assert allowed_s(START, [], 10) - allowed_s(START, [], 9) == pytest.approx(START_S * MARGIN)


def test_every_folder_with_tests_has_a_budget():
    elsewhere = {"lab"}  # make test-live
    folders = {folder_of(str(file.relative_to(TESTS.parent))) for file in TESTS.rglob("test_*.py")} - elsewhere
    assert folders == set(BUDGETS_S)


def test_sum_of_budgets_is_the_budget_of_all_tests():
    assert sum(BUDGETS_S.values()) + START_S * WORKERS + SERVERS_S <= ALL_S
    assert f"\nWORKERS ?= {WORKERS}\n" in (TESTS.parent / "Makefile").read_text()


def test_run_above_its_budget_fails(tmp_path):
    (tmp_path / "conftest.py").write_text("from tests import cpu_budget\ncpu_budget.ALL_S = 0.0\n")
    (tmp_path / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    plugins = ("-p", "tests.cpu_budget", "-p", "no:pytest-qt", "-p", "no:xdist", "-p", "no:cacheprovider")
    words = ("-c", "/dev/null", "--rootdir", str(tmp_path), *plugins, str(tmp_path))
    command = [sys.executable, "-m", "pytest", *words]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "CPU seconds of 0.0: make its tests cheaper" in done.stdout
