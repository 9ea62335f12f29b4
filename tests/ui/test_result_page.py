"""What the result page says and shows, on documents of whole sweeps."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel

from app.display_texts import typeset_text
from app.pages.apply_dialog import ApplyDialog
from app.pages.result_page import NEXT_PX, ResultPage
from app.pages.why_card import ShareBars
from app.theme.theme import Appearance, Theme
from scheduler.model.command_answers import ApplyResult
from scheduler.model.documents import RunOutcome
from scheduler.model.load_looks import BLUE
from scheduler.model.objective import Objective
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.results import SplitVerdict
from scheduler.model.spec import Mode
from scheduler.stats.recommendation import recommend_split
from tests.data_maker import make_documents, make_spec
from tests.quiet import until_fine
from tests.ui.looks import clipped, outside
from tests.ui.recorded import recorded_result
from tests.ui.turns import OwnWork
from tests.volume import deep, few

_LIMIT_MS = 40_000


def _show(page: ResultPage, **options):
    finding = recorded_result(**options)
    page.show_finding(finding)
    return list(finding.trials)


_VERDICTS = (
    ({}, SplitVerdict.RECOMMEND),
    ({"mode": Mode.WEIGHTS}, SplitVerdict.NONE),
    ({"noise": 0.2}, SplitVerdict.NONE),
    ({"trials": 31, "outcome": RunOutcome.ABORTED}, SplitVerdict.NONE),
    ({"trials": 0, "outcome": RunOutcome.FAILED}, SplitVerdict.NONE),
    ({"trials": 5, "outcome": None}, SplitVerdict.NONE),
)


def test_result_page_shows_sentence_and_three_lines_of_each_verdict(page: ResultPage, qtbot):
    for options, verdict in _VERDICTS:
        _show(page, **options)
        answer = page.finding.results.answer
        assert answer.verdict is verdict
        assert page.head.sentence.text() == typeset_text(answer.headline)
        assert all(line.text() for line in page.head.lines), options
        qtbot.waitUntil(lambda: clipped(page) == [] and outside(page) == [])


def test_best_split_is_marked_on_the_plot(page: ResultPage):
    _show(page)
    answer = page.answer
    (band,) = page.plot.bands.shown
    position = next(s.position for s in page.finding.run.spec.settings if s.label == answer.label)
    assert sum(band.getRegion()) / 2 == pytest.approx(position)


def test_equally_good_splits_are_all_marked(page: ResultPage):
    _show(page, spec=make_spec(splits=("10:11", "1:1", "11:10"), repeats=12), noise=0.01)
    assert len(page.plot.bands.shown) == len(page.answer.equivalent) > 1


def test_slider_ranks_again_at_once(page: ResultPage, qtbot):
    trials = _show(page)
    before = page.answer.label
    page.weights.slider.setValue(100)
    qtbot.waitUntil(lambda: page.answer.weights["osdb-oltp"] == 1.0)
    expected = recommend_split(trials, page.finding.run.spec, {"osdb-ir": 0.0, "osdb-oltp": 1.0})
    assert page.answer == expected
    assert expected.label != before
    qtbot.waitUntil(lambda: page.head.sentence.text() == typeset_text(expected.headline))
    qtbot.waitUntil(lambda: page.regret.table.source.table.rows[0][0].text == expected.regret[0].label)
    position = next(s.position for s in page.finding.run.spec.settings if s.label == expected.label)
    assert sum(page.plot.bands.shown[0].getRegion()) / 2 == pytest.approx(position)
    qtbot.waitUntil(lambda: len(page.why.reasons) == len(expected.sentences))
    page.weights.reset.click()
    qtbot.waitUntil(lambda: page.answer.label == before)


def test_slider_starts_at_the_plans_own_weights(page: ResultPage):
    _show(page, spec=make_spec(weights={"osdb-ir": 1.0, "osdb-oltp": 3.0}))
    assert page.weights.slider.value() == 75
    assert page.answer.weights["osdb-oltp"] == pytest.approx(0.75)


def test_sweep_of_one_load_has_no_slider(page: ResultPage):
    _show(page, spec=make_spec(kinds=["osdb-oltp"]))
    assert not page.weights.isVisible()


def test_only_weights_have_a_slider_and_other_objectives_a_name(page: ResultPage):
    objective = Objective("limited", "osdb-ir", 0.05)
    _show(page, spec=msgspec.structs.replace(make_spec(repeats=8), objective=objective))
    assert not page.weights.isVisible()
    assert page.head.sentence.text().startswith(
        "Best for IR, at most 5\N{NO-BREAK SPACE}% of OLTP lost: keep the original settings: no split gains"
    )
    assert {"IR loss", "OLTP loss"} <= set(page.regret.table_of(page.answer, page.finding.run.spec).headers)
    assert ("Objective", "Best for IR, at most 5 % of OLTP lost") in page.measured.facts_of(page.finding)
    assert page.finding.shown(page.answer)[1] == page.finding.run.spec
    assert "IR throughput compared with the original settings" in page.head.lines[0].text()


@pytest.mark.alone
@pytest.mark.parametrize("repeats", few([100], [3]))
def test_dragging_the_slider_costs_at_most_16_ms_per_turn(page: ResultPage, qtbot, repeats: int):
    """Ranking, marking and painting, 20 moves, few trials or 1,804."""
    _show(page, spec=make_spec(repeats=repeats), samples=False)
    qtbot.wait(300)

    def drag() -> OwnWork:
        work = OwnWork()
        work.start()
        for value in range(0, 100, 5):
            page.weights.slider.setValue(value)
            qtbot.wait(30)
        work.stop()
        return work

    work = until_fine(drag, lambda work: work.light(99))
    assert work.light(99), work


def test_calibration_names_no_split_and_offers_the_sweep(page: ResultPage, qtbot):
    spec = msgspec.structs.replace(make_spec(), protocol=PROTOCOLS["calibrate"])
    _show(page, spec=spec)
    qtbot.wait(50)
    assert page.head.sentence.text() == "The quotas hold here."
    assert not page.footer.apply.isEnabled()
    assert page.footer.confirm.text() == "Sweep all splits\N{HORIZONTAL ELLIPSIS}"
    with qtbot.waitSignal(page.confirm_wanted) as wanted:
        page.footer.confirm.click()
    assert wanted.args[0].protocol == PROTOCOLS["adaptive"]
    assert wanted.args[0].settings == spec.settings
    assert clipped(page) == []
    assert outside(page) == []


def test_many_moves_at_once_are_ranked_once(page: ResultPage, qtbot):
    _show(page)
    ranked = []
    page.weights.changed.connect(ranked.append)
    for value in range(60, 100):
        page.weights.slider.setValue(value)
    qtbot.waitUntil(lambda: page.answer.weights["osdb-oltp"] == pytest.approx(0.99))
    assert len(ranked) == 1


def test_table_twin_and_the_plot_show_the_results(page: ResultPage):
    _show(page)
    points = {(p.label, p.load): p for p in page.finding.results.points if p.label != "baseline"}
    assert page.plot.shown == points
    page.frame.table_button.setChecked(True)
    rows = page.frame.table.source.table.rows
    assert [row[2] for row in rows] == [point.mean_tps for point in page.finding.results.points]


@pytest.mark.parametrize("first", few([("1:1", "1:2", "1:5", "2:1", "5:1")], [("1:5", "5:1")]))
def test_another_run_leaves_nothing_of_the_last_one(page: ResultPage, qtbot, first: tuple[str, ...]):
    """Rows and facts that are there are used again; of the other run, whatever its shape."""
    _show(page, spec=make_spec(splits=first), trials=9, outcome=RunOutcome.ABORTED)
    _show(page, spec=make_spec(splits=("1:1", "2:1", "10:1"), kinds=("osdb-ir",), repeats=2), repeats=2)

    def nothing_left() -> None:
        bars = [bar for bar in page.why.findChildren(ShareBars) if bar.isVisibleTo(page)]
        assert len(bars) == len(page.finding.results.points)
        words = [label.text() for label in page.why.findChildren(QLabel) if label.isVisibleTo(page)]
        assert "1:5" not in words
        assert "OLTP" not in words
        shown = {label.text() for label in page.measured.findChildren(QLabel) if label.isVisibleTo(page)}
        assert {words for row in page.measured.facts_of(page.finding) for words in row} <= shown

    qtbot.waitUntil(nothing_left)


def test_every_trial_can_be_looked_at(page: ResultPage):
    trials = _show(page)
    assert not page.measured.trials.isVisible()
    page.measured.fold.click()
    assert page.measured.trials.isVisible()
    rows = page.measured.trials.source.table.rows
    assert [row[4] for row in rows] == [trial.mean_tps for trial in trials]


def test_protocol_versions_and_deviations_are_stated(page: ResultPage):
    _show(page)
    facts = dict(page.measured.facts_of(page.finding))
    assert "3 trials of 10 s per split and load" in facts["Protocol"]
    assert "postgresql 18" in facts["Versions"]
    assert facts["Differences"].count("\n") == len(page.finding.results.differences) - 1


def test_simulated_result_reports_it_and_cannot_be_applied(page: ResultPage):
    _show(page, simulated=True, host_url="sim:")
    assert page.ribbon.isVisible()
    assert "simulated" in page.head.sentence.text()
    assert not page.footer.apply.isEnabled()


def test_simulated_answer_stays_marked_whatever_counts(page: ResultPage, qtbot):
    _show(page, simulated=True, host_url="sim:")
    marked = page.answer.sentences[0]
    page.weights.slider.setValue(100)
    qtbot.waitUntil(lambda: page.answer.weights["osdb-oltp"] == 1.0)
    assert "(simulated)" in page.head.sentence.text()
    assert page.answer.sentences[0] == marked
    results, _ = page.finding.shown(page.answer)
    assert "(simulated)" in results.answer.headline


def test_host_left_changed_is_the_first_thing_reported(page: ResultPage):
    page.note_pending_restores(frozenset({make_documents()[0].facts.host_id}))
    _show(page, trials=9, outcome=RunOutcome.FAILED, restored=False)
    assert page.state.isVisible()
    assert page.state.property("look") == "bar-danger"


def test_colours_follow_the_palette_at_once(page: ResultPage, theme: Theme):
    _show(page)
    theme.set_appearance(Appearance.DARK)
    assert page.plot._loads[0].marks.opts["brush"].color().name() == BLUE.dark.lower()


def test_saved_picture_is_made_of_shapes_and_explains_itself(page: ResultPage, tmp_path: Path, qtbot):
    _show(page, simulated=True)
    page.frame.save(tmp_path / "plot.svg")
    qtbot.waitUntil(page.frame.message.isVisible)
    svg = (tmp_path / "plot.svg").read_text()
    assert "<image" not in svg
    for words in ("best", "95 % interval over trials", "Split, I/O domain : guest", "Throughput (tuples/s)"):
        assert words in svg
    page.frame.save(tmp_path / "plot.csv")
    qtbot.waitUntil(lambda: "plot.csv" in page.frame.message.text.text())
    assert (tmp_path / "plot.csv").read_text().count("\n") >= len(page.finding.results.points) + 1


_LAID_OUT = [
    {},
    {"simulated": True, "host_url": "sim:"},
    {"mode": Mode.WEIGHTS},
    {"noise": 0.2},
    {"trials": 31, "outcome": RunOutcome.ABORTED},
]


def _next_px(page: ResultPage) -> int:
    """How much of the card below the plot can be seen without scrolling."""
    return page.area.viewport().height() - page.why.mapTo(page.area.viewport(), QPoint(0, 0)).y()


_SIZES = [(1100, 760), (1280, 800), (1600, 1000), (1920, 1080)]
_EACH_AND_EACH = [*((size, {}) for size in _SIZES), *((_SIZES[0], options) for options in _LAID_OUT[1:])]
_ALL_BY_ALL = [(size, options) for size in _SIZES for options in _LAID_OUT]


def test_sentence_and_plot_fill_the_first_screen_up_to_the_next_heading(page: ResultPage, qtbot):
    for size, options in _ALL_BY_ALL if deep() else _EACH_AND_EACH:
        page.window().resize(*size)
        _show(page, **options)
        qtbot.waitUntil(lambda: _next_px(page) == NEXT_PX)
        assert page.frame.height() == page.regret.height() > 330, (size, options)


def test_plot_keeps_a_height_that_can_be_read_in_a_small_window(page: ResultPage, qtbot):
    page.window().resize(1100, 560)
    _show(page)
    qtbot.waitUntil(lambda: clipped(page) == [])
    assert page.frame.height() == page.regret.height() == 330


def test_plot_makes_room_for_what_was_applied_and_takes_it_back(page: ResultPage, qtbot):
    _show(page)
    qtbot.waitUntil(lambda: _next_px(page) == NEXT_PX)
    alone_px = page.frame.height()
    page.footer.apply_wanted.emit()
    dialog = page.findChild(ApplyDialog)
    dialog.applied.emit(ApplyResult(done=True, host="a-host", split="1:1"))
    qtbot.waitUntil(lambda: _next_px(page) == NEXT_PX)
    assert page.applied.isVisible()
    assert page.frame.height() < alone_px
    page.applied.dismiss.click()
    qtbot.waitUntil(lambda: page.frame.height() == alone_px)
    dialog.reject()
