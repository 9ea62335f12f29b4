"""What is drawn stays true to the last pixel: no remains, no names cut or struck through, no line across a pause."""

import numpy as np
import pytest

from app.pages.live_page import LivePage
from app.plots.progress_strip import ProgressStrip
from app.plots.run_board import RunBoard
from app.theme.theme import Theme
from scheduler.model.documents import RunState, StateChanged, TrialDone, TrialStarted
from tests.data_maker import make_documents
from tests.ui.plots.helpers import redrawn


@pytest.mark.parametrize("width_px", [611, 700, 997])
def test_no_frame_of_a_trial_that_was_current_remains(theme: Theme, width_px: int, qtbot):
    strip, fresh = ProgressStrip(theme), ProgressStrip(theme)
    board = RunBoard()
    for part in (strip, fresh):
        qtbot.addWidget(part)
        part.resize(width_px, 14)
    for document in make_documents(samples=False):
        board.take(document)
        if isinstance(document, TrialStarted | TrialDone):
            strip.show_board(board)
            strip.grab()
    fresh.show_board(board)
    assert strip.grab().toImage() == fresh.grab().toImage()


@pytest.mark.parametrize("size", [(1280, 800), (1000, 420)])
def test_no_baselines_name_is_cut(page: LivePage, size: tuple[int, int], qtbot):
    page.window().resize(*size)
    for document in make_documents():
        page.take(document)
    redrawn(page)
    qtbot.wait(20)
    plot = page.plots.split
    inside = plot.view.sceneBoundingRect().adjusted(-1, -1, 1, 1)
    names = [load.base_words for load in plot._loads]
    assert all(inside.contains(name.sceneBoundingRect()) for name in names)
    assert not names[0].sceneBoundingRect().intersects(names[1].sceneBoundingRect())


def test_no_line_strikes_the_winners_name(page: LivePage):
    plot = page.plots.split
    for document in make_documents():
        page.take(document)
    redrawn(page)
    assert plot.crown.zValue() > max(item.zValue() for load in plot._loads for item in load._all)
    assert plot.crown.fill.color().alpha() == 255


def test_no_line_strikes_a_baselines_name(page: LivePage):
    page.take(make_documents()[0])
    loads = page.plots.split._loads
    assert min(load.base_words.zValue() for load in loads) > max(load.base.zValue() for load in loads)
    assert all(load.base_words.fill.color().alpha() == 255 for load in loads)


def test_time_axis_is_named_as_its_ticks_are_written(page: LivePage):
    axis = page.plots.cpu.canvas.getAxis("bottom")
    page.take(make_documents()[0])
    for now_s, label in ((100.0, "Time (min:s)"), (4000.0, "Time (h:min:s)")):
        page.take(StateChanged(t_s=now_s, state=RunState.RUNNING))
        redrawn(page)
        assert axis.labelText == label
    page.replay(())
    page._start_over(controls=False)
    page.take(make_documents(simulated=True)[0])
    redrawn(page)
    assert axis.labelText == "Simulated time (min:s)"


def test_what_is_allotted_is_not_drawn_across_a_pause(page: LivePage):
    documents = make_documents(seconds_per_trial=5)
    half = [document for document in documents if document.t_s < 60]
    after = [document for document in documents if 130 < document.t_s < 200]
    for document in (*half, *after):
        page.take(document)
    redrawn(page)
    x, y = page.plots.cpu.allotted.getData()
    across = np.flatnonzero(np.diff(x) > 30)
    assert len(across)
    assert all(np.isnan(y[row]) or np.isnan(y[row + 1]) for row in across)
