"""The list of all places that name a split of an answer, each with the test that fails if it ignores the decision.

The list is checked against a search of the code: a module that begins to read an answer's splits needs a row.
"""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
READS = re.compile(
    r"\.(?:decision|ordered|ordered_split|equivalent|proposal|as_good|runner_up|wish|rank_of)\b"
    r"|\b(?:rank_words|ranks_of|list_words|doubt_words|minutes_words|best_static|DecisionSoFar|split_to_set)\b"
    r"|\b(?:answer|advice|recommendation)\.(?:setting|split)\b"
)
HEADLINE = "tests/unit/stats/test_headline.py::test_decision_follows_gain_over_original_settings"
DOM0 = "tests/unit/studies/test_dom0_cpus.py::test_original_settings_win_ties_and_flat_numbers_are_named"
SO_FAR = "tests/unit/studies/test_interim_decision.py::test_so_far_never_orders_a_split_and_decides_as_result_does"
TERMINAL = (
    "tests/unit/commands/test_decision_so_far.py::"
    "test_terminal_shows_a_line_after_each_block_and_each_minute_of_the_first"
)
COMMANDS = "tests/unit/commands/test_decisions.py::"
APPLY = f"{COMMANDS}test_apply_refuses_a_decision_without_an_order_and_names_the_further_words"
APPLIED = "tests/ui/test_host_truth.py::test_applied_split_is_reported_at_the_start_verified_and_reverted"
DIALOG = "tests/ui/test_result_actions.py::test_stored_run_is_shown_and_applied_and_reverted"
RACE = "tests/unit/stats/test_racing.py::test_standing_of_few_pairs_with_baseline_goes_on_with_leader"
OBSERVED = "tests/unit/commands/test_observed_runs.py::"
WATCHING = "tests/unit/commands/test_watch_command.py::"
EXPORTS = "tests/unit/export/test_decisions.py::"
WATCH = "tests/unit/follow/test_watch_decision.py::"
WINDOW = "tests/ui/test_places_of_the_decision.py::"
REPORT = f"{EXPORTS}test_report_marks_the_split_by_its_rank_in_the_decision"
RANKS = "tests/unit/app/test_decision_texts.py::test_rank_words_each_rank_has_its_own_words"
ACTIONS = f"{WINDOW}test_result_actions_lead_to_apply_only_for_an_order"
ANSWER = f"{WINDOW}test_watch_answer_shows_and_applies_a_split_only_for_an_order"
LIVE = f"{WINDOW}test_live_page_marks_no_split_while_measuring"
FOLLOW = f"{WINDOW}test_follow_card_calls_a_split_target_only"

TICKET = "tests/unit/export/test_pdf_report.py::test_change_of_a_real_host_has_a_ticket"
LESSON = "tests/unit/lessons/test_lesson_check.py::test_lesson_check_says_when_the_run_has_not_decided"

PLACES = {
    # where a decision is made, and written as a sentence
    "scheduler/stats/decision_rules.py": HEADLINE,
    "scheduler/stats/recommendation.py": HEADLINE,
    "scheduler/stats/headline.py": HEADLINE,
    "scheduler/stats/racing.py": RACE,
    "scheduler/stats/study_answer.py": SO_FAR,
    "scheduler/studies/split/finding.py": SO_FAR,
    "scheduler/studies/split/interim_decision.py": SO_FAR,
    "scheduler/studies/dom0_cpus/charts.py": DOM0,
    "scheduler/studies/dom0_cpus/finding.py": DOM0,
    "scheduler/follow/gain_model.py": f"{WATCH}test_decide_split_less_than_30_minutes_orders_nothing",
    "scheduler/follow/watch_report.py": f"{WATCH}test_decide_split_less_than_30_minutes_orders_nothing",
    "scheduler/export/change_ticket.py": TICKET,
    # lessons, which say whether the run decided
    "scheduler/lessons/lesson_check.py": LESSON,
    "scheduler/lessons/class_collection.py": LESSON,
    # where a decision is kept
    "scheduler/model/documents.py": SO_FAR,
    "scheduler/model/results.py": RANKS,
    "scheduler/model/observation_documents.py": ANSWER,
    "scheduler/model/named_split.py": APPLY,
    "scheduler/store/run_entries.py": f"{WINDOW}test_sweeps_list_shows_a_split_only_for_an_order",
    # command line
    "scheduler/commands/apply_command.py": APPLY,
    "scheduler/commands/sweep.py": SO_FAR,
    "scheduler/commands/sweep_progress.py": TERMINAL,
    "scheduler/commands/runs_command.py": f"{COMMANDS}test_runs_lists_the_decision_in_words",
    "scheduler/commands/results_table.py": f"{COMMANDS}test_results_begin_with_the_decision",
    "scheduler/commands/observation_output.py": (
        f"{WATCHING}test_watch_lines_so_far_order_a_split_only_by_their_decision",
        f"{WATCHING}test_watch_progress_names_no_split",
        f"{WATCHING}test_watch_prints_what_sets_a_split_only_for_an_order",
    ),
    "scheduler/commands/watch_command.py": f"{WATCHING}test_watch_prints_what_sets_a_split_only_for_an_order",
    # exports
    "scheduler/export/csv_points.py": f"{EXPORTS}test_csv_has_the_decision_and_the_rank_of_each_split",
    "scheduler/export/html_report.py": REPORT,
    "scheduler/export/rank_texts.py": REPORT,
    "scheduler/export/report_figures.py": REPORT,
    "scheduler/export/material.py": f"{EXPORTS}test_bundle_without_an_ordered_split_is_refused_with_the_decision",
    "scheduler/export/plan_export.py": f"{EXPORTS}test_plan_of_a_run_names_no_split_as_best",
    "scheduler/export/observation_export.py": f"{OBSERVED}test_watch_is_listed_shown_and_exported_like_a_sweep",
    "scheduler/store/observation_summary.py": f"{OBSERVED}test_watch_is_listed_shown_and_exported_like_a_sweep",
    "scheduler/export/watched_split.py": f"{WINDOW}test_watch_export_asks_first_without_an_order",
    # following: every split is set only after the person agreed; none is advised
    "scheduler/follow/move_decision.py": FOLLOW,
    "scheduler/run/follow_reporter.py": FOLLOW,
    "app/observe/progress_card.py": (FOLLOW, f"{WINDOW}test_watch_so_far_shows_a_bar_only_for_an_order"),
    "app/observe/split_history_plot.py": FOLLOW,
    # window
    "app/plots/run_board.py": LIVE,
    "app/plots/split_throughput_plot.py": LIVE,
    "app/pages/live_strip.py": LIVE,
    "app/pages/window_title.py": LIVE,
    "app/pages/applied_bar.py": APPLIED,
    "app/pages/apply_dialog.py": DIALOG,
    "app/pages/comparison.py": f"{WINDOW}test_comparison_names_a_split_only_for_an_order",
    "app/pages/decision_texts.py": RANKS,
    "app/pages/exports.py": "tests/ui/test_result_actions.py::test_export_bundle_split_not_ordered_asks_for_a_choice",
    "app/pages/result_parts.py": f"{WINDOW}test_regret_table_selects_a_split_only_for_an_order",
    "app/pages/result_actions.py": ACTIONS,
    "app/pages/result_data.py": ACTIONS,
    "app/pages/result_head.py": (
        f"{WINDOW}test_lines_under_the_headline_order_no_split",
        f"{WINDOW}test_result_head_shows_a_bar_only_for_an_order",
    ),
    "app/pages/result_page.py": (
        f"{WINDOW}test_longer_run_measures_the_split_and_the_original_settings",
        f"{WINDOW}test_words_on_the_plot_order_a_split_only_for_a_change",
    ),
    "app/pages/sweep_rows.py": f"{WINDOW}test_sweeps_list_shows_a_split_only_for_an_order",
    "app/observe/answer_card.py": (ANSWER, f"{WINDOW}test_watch_export_asks_first_without_an_order"),
    "app/observe/observe_page.py": f"{WINDOW}test_watch_export_asks_first_without_an_order",
}


def test_every_module_that_reads_the_splits_of_an_answer_is_in_the_list():
    reading = {
        str(path.relative_to(ROOT))
        for part in ("scheduler", "labs", "app")
        for path in (ROOT / part).rglob("*.py")
        if _reads(path)
    }
    assert reading - PLACES.keys() == set(), "add the place and the test that fails if it ignores the decision"
    assert {place for place in PLACES if not (ROOT / place).is_file()} == set()


def test_every_place_in_the_list_has_its_test():
    tests = {test for each in PLACES.values() for test in ((each,) if isinstance(each, str) else each)}
    missing = {test for test in tests if test.partition("::")[2] not in _tests_in(test.partition("::")[0])}
    assert missing == set()


def _reads(path: Path) -> bool:
    lines = path.read_text(encoding="utf-8").splitlines()
    return any(READS.search(line) for line in lines if not line.startswith(("from ", "import ")))


@cache
def _tests_in(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
