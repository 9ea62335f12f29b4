"""The bar of trials, by its pixels."""

import numpy as np
from PySide6.QtGui import QColor, QImage

from app.pages.live_page import LivePage
from app.plots.progress_strip import ProgressStrip
from app.plots.trial_pixels import stack_colours
from scheduler.model.documents import TrialDone, TrialStarted
from tests.bench.window_turns import history
from tests.data_maker import make_spec
from tests.ui.plots.helpers import redrawn


def _pixels(strip: ProgressStrip) -> np.ndarray:
    image = strip.grab().toImage().convertToFormat(QImage.Format.Format_ARGB32)
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())


def _framed(strip: ProgressStrip, theme) -> np.ndarray:
    """Return the columns whose first pixel is the frame's."""
    return np.flatnonzero(_pixels(strip)[0] == QColor(theme.palette.text).rgba())


def test_only_the_trial_that_goes_on_is_framed(page: LivePage, session, theme):
    page.attach(session)
    strip = page.strip.progress
    for nth in range(1, 7):
        session.play_until(TrialStarted, nth)
        redrawn(page)
        assert page.board.span is not None
        number = page.board.span.trial + 1
        columns = _framed(strip, theme)
        assert len(columns) > 1
        assert (_pixels(strip)[1, columns] == QColor(theme.palette.text).rgba()).all(), "two pixels are seen"
        wide = strip.width() / 60
        assert (number - 1) * wide - 1 <= columns[0]
        assert columns[-1] <= number * wide + 1, "a frame stayed behind"


def test_what_is_done_is_full_and_what_comes_is_pale(page: LivePage, session, theme):
    page.attach(session)
    session.play_until(TrialDone, 20)
    pixels = _pixels(redrawn(page).strip.progress)
    full, pale = stack_colours(theme.palette), stack_colours(theme.palette, theme.palette.raised, 0.28)
    middle = pixels.shape[1] * 20 // 60
    assert {full.guest, full.io} <= set(pixels[:, : middle - 8].flat)
    assert {pale.guest, pale.io} <= set(pixels[:, middle + 8 :].flat)
    assert not {pale.guest, pale.io} & set(pixels[:, : middle - 8].flat)


def test_trial_reports_whether_it_is_done_goes_on_or_is_to_come(page: LivePage, session):
    page.attach(session)
    session.play_until(TrialStarted, 5)
    strip = redrawn(page).strip.progress
    number = page.board.span.trial
    done = [span.trial for span in page.board.spans if span.result is not None and span.result.valid]
    assert "tuples/s" in strip.words_for(done[-1])
    assert strip.words_for(number).endswith("in progress")
    assert strip.words_for(number + 1).endswith("pending")


def test_thousands_of_trials_are_drawn_and_the_one_that_goes_on_is_seen(page: LivePage, theme):
    documents = history(make_spec("sim:", repeats=100))
    page.replay(documents)
    while page.board.run is None or len(page.board.trials) < sum(isinstance(one, TrialDone) for one in documents):
        page._feed_on()
    redrawn(page)
    strip = page.strip.progress
    assert strip.done > strip.width()
    assert (strip._current is None) == (len(_framed(strip, theme)) == 0)
