"""Places of the window that name a split: each follows the decision, and shows a bar of a split only for an order."""

from dataclasses import replace

import msgspec
import pytest

from app.panels.compare_dialog import CompareDialog
from app.panels.comparison import ComparedSweep, read_sweeps
from app.panels.decision_words import rank_words
from app.panels.result_head import ResultHead
from app.panels.sweep_rows import read_rows
from app.widgets.split_bar import SplitTag
from scheduler import places
from scheduler.model.decision import DecisionKind
from scheduler.model.documents import Outcome
from scheduler.stats.results import results_from
from tests.data_maker import make_documents
from tests.decisions import with_decision
from tests.ui.test_home_page import RECOMMEND, put_sweep

pytestmark = pytest.mark.ui

KINDS = list(DecisionKind)


@pytest.mark.parametrize("kind", KINDS)
def test_result_head_shows_a_bar_only_for_an_order(theme, qtbot, kind):
    head = ResultHead(theme)
    qtbot.addWidget(head)
    answer = with_decision(results_from(make_documents()), kind).recommendation
    head.show_answer(answer)
    assert head.sentence.text().replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-") == answer.headline
    assert head._labels == (("1:2",) if kind is DecisionKind.CHANGE else ())


@pytest.mark.parametrize("kind", KINDS)
def test_words_on_the_plot_order_a_split_only_for_a_change(kind):
    answer = with_decision(results_from(make_documents()), kind).recommendation
    assert ("change to 1:2" in rank_words(answer, "1:2")) is (kind is DecisionKind.CHANGE)


@pytest.mark.parametrize("kind", KINDS)
def test_comparison_head_shows_a_split_only_for_an_order(home, theme, background, qtbot, kind):
    put_sweep("one", 0, Outcome.COMPLETED, RECOMMEND)
    (sweep,) = read_sweeps(places.store_path(), read_rows(places.store_path()))
    newest = sweep.row.newest
    decision = with_decision(results_from(make_documents()), kind).recommendation.decision
    answer = msgspec.structs.replace(newest.answer, decision=decision)
    row = replace(sweep.row, chain=(msgspec.structs.replace(newest, answer=answer),))
    compared = ComparedSweep(row, sweep.spec, sweep.facts, sweep.points)
    dialog = CompareDialog(theme, background, compared, compared)
    qtbot.addWidget(dialog)
    told = {tag.words.text() for tag in dialog.findChildren(SplitTag)}
    assert told == ({"1:2"} if kind is DecisionKind.CHANGE else {""})
