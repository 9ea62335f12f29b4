"""The plot of a database's rate: whose turn it was is told by mark, line and shade, and nothing is made up."""

import numpy as np
import pytest

from app.observe.observe_page import ObservePage
from app.observe.rate_plot import RatePlot
from app.settings import Settings
from scheduler.model.observation_documents import ObservationStarted, ObservationWindow
from scheduler.model.split import Mode, parse_split
from tests.ui.stages import shown

pytestmark = pytest.mark.ui

EPOCH = 60  # windows


@pytest.fixture
def plot(theme, qtbot):
    made = RatePlot(theme)
    qtbot.addWidget(made)
    made.begin(simulated=False, follows=True)
    return made


def take_epochs(plot: RatePlot, windows: int) -> None:
    """Following does 120 a second, the static split 100, in turns of ten minutes; a move in each of following's."""
    for place in range(windows):
        turn = place // EPOCH % 2 == 1
        plot.take(10.0 * place + 10, 100.0 if turn else 120.0, turn=turn)
        if place % (2 * EPOCH) == 5:
            plot.take_move(10.0 * place + 10, "1:2 \N{RIGHTWARDS ARROW} 1:1.2")
    plot.draw()


def test_turns_are_distinguished_and_moves_are_marked(plot: RatePlot):
    take_epochs(plot, 6 * EPOCH)
    ours, others = (marks.data["y"] for marks in plot.dots)
    assert (set(ours), set(others)) == ({120.0}, {100.0})
    assert min(len(ours), len(others)) >= 20
    for curve, tps in zip(plot.medians, (120.0, 100.0), strict=True):
        t_s, values = curve.getData()
        assert set(values[np.isfinite(values)]) == {tps}
        assert np.isnan(values).sum() == 2  # it is not drawn over the turns of the other
        assert len(t_s) >= 8
    assert list(plot._moves.getData()[0]) == [60.0, 60.0, 1260.0, 1260.0, 2460.0, 2460.0]
    marks = {entry.mark for entry in plot.legend(plot.theme.palette)}
    assert {"o", "s", "line", "dash", "upright", "block"} <= marks
    assert "comparison" in plot.words_at(650, 0)
    assert "100" in plot.words_at(650, 0)
    rows = plot.table().rows
    assert rows[5] == (60.0, 120.0, "following", "1:2 \N{RIGHTWARDS ARROW} 1:1.2")
    assert rows[60][:3] == (610.0, 100.0, "comparison")


def test_what_was_not_counted_is_a_gap_and_no_zero(plot: RatePlot):
    plot.begin(simulated=True)
    for place in range(180):
        plot.take(10.0 * place + 10, None if 60 <= place < 150 else 50.0)
    plot.draw()
    assert set(plot.dots[0].data["y"]) == {50.0}
    assert len(plot.dots[1].data) == 0
    assert np.isnan(plot.medians[0].getData()[1]).sum() == 1
    assert plot.table().rows[100] == (1010.0, None)
    assert "\N{EM DASH}" in plot.words_at(1005, 0)
    assert [entry.mark for entry in plot.legend(plot.theme.palette)] == ["beads", "line"]


def test_week_is_drawn_by_few_points_of_both_turns(plot: RatePlot):
    take_epochs(plot, 60_480)
    for marks, curve, tps in zip(plot.dots, plot.medians, (120.0, 100.0), strict=True):
        assert 30 < len(marks.data) <= 2 * max(60, plot.view.width() / 4)
        assert set(marks.data["y"]) == {tps}
        assert 50 < len(curve.getData()[0]) <= 151
        assert np.isfinite(curve.getData()[1]).all()
    assert len(plot._moves.getData()[0]) <= 2 * 121


def test_watched_hosts_database_has_a_plot_where_it_is_counted(theme, background, runner, qtbot):
    page = ObservePage(theme, Settings(), runner, background)
    reported = {
        "host": "local:",
        "host_id": "this",
        "split": parse_split("1:2"),
        "title": "This",
        "simulated": False,
        "mode": Mode.WEIGHTS,
        "cpus": 1,
    }
    with shown(page, qtbot):
        for counted in (True, False):
            page.observer.looking.emit()
            page.observer.began.emit(ObservationStarted(**reported, for_s=60, database=counted))
            assert page.pictures.rate_frame.isVisible() == counted
        for rate_tps in (900.0, None):
            cpus = {"io_cpus": 0.1, "guest_cpus": 0.2, "io_allowed_cpus": 1, "guest_allowed_cpus": 1}
            page.observer.line_received.emit(
                ObservationWindow(t_s=10, split=parse_split("1:2"), **cpus, rate_tps=rate_tps)
            )
        assert page.pictures.rate.table().rows == [(10.0, 900.0), (10.0, None)]
