"""What the window says of two sweeps beside each other."""

import re
from dataclasses import replace

import msgspec
import pytest

from app.background import BackgroundWorker
from app.pages.compare_dialog import CompareDialog
from app.pages.comparison import ComparedSweep, comparison_sentences, comparison_table, list_differences, read_sweeps
from app.pages.sweep_rows import read_rows
from app.theme.theme import Theme
from scheduler import places
from scheduler.model.documents import RunOutcome
from scheduler.model.results import MeasuredPoint
from scheduler.model.setting import BASELINE
from tests.settings import setting_at
from tests.ui.test_home_page import RECOMMEND, put_sweep

pytestmark = pytest.mark.ui


@pytest.fixture
def one(home) -> ComparedSweep:
    put_sweep("one", 0, RunOutcome.COMPLETED, RECOMMEND)
    (sweep,) = read_sweeps(places.store_path(), read_rows(places.store_path()))
    return sweep


def _faster(row: ComparedSweep, factor: float, half: float = 50.0) -> ComparedSweep:
    """Return the sweep as it would have been on a host that is faster by a factor under IR."""
    points = [
        msgspec.structs.replace(point, mean_tps=mean, ci95_tps=(mean - half, mean + half))
        for point in row.points
        for mean in (point.mean_tps * (factor if point.load == "osdb-ir" else 1.0),)
    ]
    return replace(row, points=tuple(points))


def test_comparison_sentence_names_faster_sweep_with_certainty(one: ComparedSweep):
    ir, oltp = comparison_sentences(one, _faster(one, 1.25))
    assert re.match("IR: the second is 25\N{NO-BREAK SPACE}% faster over 3 splits \\(95 % interval \\d", ir)
    assert "Largest at" in ir
    assert oltp.startswith("OLTP: no clear difference over 3 splits (95 % interval \N{MINUS SIGN}")
    assert comparison_sentences(one, _faster(one, 0.8))[0].startswith("IR: the second is 20\N{NO-BREAK SPACE}% slower")
    assert "no clear difference" in comparison_sentences(one, _faster(one, 1.02, half=3000.0))[0]


def test_comparison_of_different_hosts_compares_no_heights(one: ComparedSweep, theme, background, qtbot):
    other = replace(_faster(one, 1.25), facts=msgspec.structs.replace(one.facts, host_id="another"))
    [sentence] = comparison_sentences(one, other)
    assert sentence == "These are different hosts. Compare the shapes, not the heights."
    assert not any("faster" in header for header in comparison_table(one, other).headers)
    assert {len(row) for row in comparison_table(one, other).rows} == {4}
    dialog = CompareDialog(theme, background, one, other)
    qtbot.addWidget(dialog)
    texts = [part.text() for part in dialog.findChildren(type(dialog.frame.heading))]
    assert texts.count(sentence) == 1


def test_comparison_marks_an_interval_that_leaves_the_plot(one: ComparedSweep, theme, background, qtbot):
    wide = _faster(one, 1.0, half=one.points[0].mean_tps * 5)
    dialog = CompareDialog(theme, background, one, wide)
    qtbot.addWidget(dialog)
    heads = [len(heads.getData()[0]) for _, _, heads, _, second in dialog.frame.plot._curves if second]
    assert heads
    assert all(heads)
    assert not any(len(heads.getData()[0]) for _, _, heads, _, second in dialog.frame.plot._curves if not second)


def test_comparison_of_unrelated_sweeps_is_refused(one: ComparedSweep):
    empty = replace(one, points=())
    assert comparison_sentences(one, empty) == [
        "These sweeps have no split and load in common, so they cannot be compared."
    ]


def test_comparison_lists_only_differences_in_order(one: ComparedSweep):
    loads = tuple(msgspec.structs.replace(load, users=20) for load in one.spec.loads)
    spec, facts = msgspec.structs.replace(one.spec, loads=loads), msgspec.structs.replace(one.facts, scheduler="credit")
    assert list_differences(one, one) == ([], [])
    mine, theirs = list_differences(one, replace(one, spec=spec, facts=facts))
    assert mine == ["scheduler cgroup-v2", "IR with 5 users, OLTP with 5 users"]
    assert theirs == ["scheduler credit", "IR with 20 users, OLTP with 20 users"]


def test_comparison_table_uses_words(one: ComparedSweep):
    point = MeasuredPoint(
        setting=setting_at(BASELINE), load="osdb-ir", mean_tps=100.0, ci95_tps=None, cv=None, trials=1
    )
    points = (*one.points, point)
    row = replace(one, points=points)
    rows = comparison_table(row, row).rows
    assert rows[0][:2] == ("1:2", "IR")
    assert rows[-1] == ("the original settings", "IR", 100.0, 100.0, 0.0, None, None)


def test_comparison_dialog_shows_sentences_and_differences(
    one: ComparedSweep, theme: Theme, background: BackgroundWorker, qtbot
):
    facts = msgspec.structs.replace(one.facts, scheduler="credit")
    dialog = CompareDialog(theme, background, one, replace(_faster(one, 1.25), facts=facts))
    qtbot.addWidget(dialog)
    dialog.show()
    words = [part.text() for part in dialog.findChildren(type(dialog.frame.heading)) if part.isVisible()]
    assert {"scheduler cgroup-v2", "scheduler credit"} <= set(words)
    assert any(text.startswith("IR: the second is") for text in words)
