"""What the window does with a split that nobody measured and that promises more."""

import msgspec
import pytest
from PySide6.QtCore import Qt

from app.pages.result_page import ResultPage, confirming_run
from app.theme.theme import Appearance, Theme
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.setting import parse_split_setting
from scheduler.stats.recommendation import gather_evidence, recommend_from_evidence
from tests.data_maker import make_spec, make_trials
from tests.ui.looks import clipped
from tests.ui.recorded import recorded_result

COARSE = ("1:5", "1:2", "2:1", "5:1")


@pytest.fixture
def proposing(page: ResultPage):
    page.show_finding(recorded_result(spec=make_spec(splits=COARSE, repeats=6), noise=0.01))
    assert page.answer.proposal is not None
    return page


def test_proposal_is_a_hollow_mark_in_its_place_named_in_legend_and_axis(proposing: ResultPage, theme: Theme):
    proposal, plot = proposing.answer.proposal, proposing.plot
    assert any(entry.words == "interpolated, not measured" and not entry.filled for entry in plot.legend(theme.palette))
    assert proposal.label in [label for _, label, _ in plot._axis.rows()]
    for load in plot._loads:
        (x,), (y,) = load.predicted.getData()
        assert x == pytest.approx(parse_split_setting(proposal.label).position + load.shift)
        assert y == proposal.expected_tps[load.kind]
        assert len(load.marks.getData()[0]) == len(COARSE)
        assert "interpolated, not measured" in plot.words_at(x, y)
    for look in (Appearance.DARK, Appearance.LIGHT):
        theme.set_appearance(look)
        assert plot._loads[0].predicted.opts["brush"].color().name() == theme.palette.raised.lower()


def test_table_twin_marks_what_is_interpolated(proposing: ResultPage):
    proposing.frame.table_button.setChecked(True)
    rows = proposing.frame.table.source.table.rows
    assert [row[0] for row in rows[-2:]] == [f"{proposing.answer.proposal.label} (interpolated)"] * 2
    assert [row[2] for row in rows[-2:]] == list(proposing.answer.proposal.expected_tps.values())
    assert all(row[-1] == "interpolated, not measured" for row in rows[-2:])


def test_measuring_it_plans_a_race_of_the_proposal_and_the_best(proposing: ResultPage, qtbot):
    button, proposal = proposing.footer.measure, proposing.answer.proposal
    assert proposal.label in button.text()
    assert "Interpolated, not measured" in button.toolTip()
    with qtbot.waitSignal(proposing.confirm_wanted) as asked:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    (spec,) = asked.args
    assert [setting.label for setting in spec.settings] == [proposing.answer.regret[0].label, proposal.label]
    assert spec.adapts
    assert parse_plan(write_plan(spec)) == spec
    assert clipped(proposing.footer) == []


def test_it_comes_and_goes_with_what_counts_and_with_the_run(proposing: ResultPage, qtbot):
    def agrees():
        shown, meant = (p and (p.label, p.expected_tps) for p in (proposing.plot.proposal, proposing.answer.proposal))
        hollow = [len(load.predicted.getData()[0]) for load in proposing.plot._loads]
        return shown == meant and proposing.footer.measure.isVisible() == bool(meant) == all(hollow) == any(hollow)

    seen = set()
    for share in (0.0, 0.25, 0.75, 1.0):
        proposing.weights.changed.emit({"osdb-ir": share, "osdb-oltp": 1 - share})
        qtbot.waitUntil(agrees)
        seen.add(proposing.answer.proposal and proposing.answer.proposal.label)
    assert len(seen) > 1
    proposing.show_finding(recorded_result(trials=5))
    assert proposing.plot.proposal is None
    assert not proposing.footer.measure.isVisible()


def test_refined_sweep_is_confirmed_without_refining_again():
    refined = make_spec(splits=COARSE, repeats=6)
    answer = recommend_from_evidence(gather_evidence(make_trials(spec=refined, noise=0.01), refined))
    for protocol in (msgspec.structs.replace(PROTOCOLS["strict"], refine=True), PROTOCOLS["grid"]):
        spec = confirming_run(msgspec.structs.replace(refined, protocol=protocol), answer)
        assert spec.protocol == PROTOCOLS["strict" if protocol.adapts else "adaptive"]
