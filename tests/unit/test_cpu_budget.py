"""The CPU budgets of test folders: what passes them, and what a slower machine may use."""

from pathlib import Path

import pytest

from tests.cpu_budget import BUDGETS_S, MARGIN, REFERENCE_LOOP_S, START_S, allowed_s, folder_of, passed_budgets

FOLDER = "contract/xen"
LIMIT_S = allowed_s(FOLDER, [], 1)
START = "start and collection"


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
    tests = Path(__file__).parents[1]
    elsewhere = {"lab"}  # make test-live
    folders = {folder_of(str(file.relative_to(tests.parent))) for file in tests.rglob("test_*.py")} - elsewhere
    assert folders == set(BUDGETS_S)
