"""Replay on the result page: the answer at a time, its marks, and the way to the final answer."""

import pytest
from PySide6.QtCore import Qt

from app.display_texts import typeset_text
from app.pages.result_data import result_data_of
from app.pages.result_page import ResultPage
from scheduler.stats.replay import list_moments_s, replay_run
from tests.data_maker import make_documents
from tests.ui.looks import clipped, outside
from tests.ui.recorded import recorded_result
from tests.ui.turns import OwnWork


@pytest.fixture
def replayed(page: ResultPage, qtbot):
    """The page of a whole sweep with its time cursor at the end; return the sweep's documents."""
    documents = make_documents(samples=False)
    page.show_finding(result_data_of(documents))
    page.head.replay.click()
    qtbot.waitUntil(lambda: page.replay.text.text() != "")
    return documents


def shows(page: ResultPage, answer) -> bool:
    rows = [row[0].text for row in page.regret.table.source.table.rows]
    ranked = [row.label for row in answer.regret]
    return page.head.sentence.text() == typeset_text(answer.headline) and rows == ranked


def test_replay_begins_at_the_end_with_the_final_answer(page: ResultPage, replayed):
    assert page.replay.slider.hasFocus()
    assert page.replay.slider.value() == page.replay.slider.maximum()
    assert "the final answer" in page.replay.text.text()
    assert shows(page, page.finding.results.answer)


def test_replay_keys_move_to_the_answers_of_earlier_trials(page: ResultPage, replayed, qtbot):
    moments_s = list_moments_s(replayed)
    for key, place in ((Qt.Key.Key_Left, -2), (Qt.Key.Key_PageDown, None), (Qt.Key.Key_Home, 0), (Qt.Key.Key_Right, 1)):
        qtbot.keyClick(page.replay.slider, key)
        at = page.replay.slider.value() if place is None else place
        then = replay_run(replayed, moments_s[at])
        qtbot.waitUntil(lambda then=then: shows(page, then.results.answer))
        assert f"after {then.trial} of {then.trials} trials. This is not the final answer." in page.replay.text.text()
        qtbot.waitUntil(lambda: "as it was at minute" in page.frame.heading.text())
    qtbot.waitUntil(lambda: clipped(page) == [] and outside(page) == [])


def test_replay_hides_what_belongs_to_the_final_answer_only(page: ResultPage, replayed, qtbot):
    final = page.finding.results.answer
    qtbot.keyClick(page.replay.slider, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: page.head.sentence.text().startswith("So far: no measurements"))
    qtbot.waitUntil(page.footer.apply.isHidden)
    assert page.why.isHidden()
    assert page.weights.isHidden()
    assert not page.footer.more.isHidden()
    assert page.answer == final  # which the exports take
    page.replay.final.click()
    qtbot.waitUntil(lambda: shows(page, final) and not page.footer.apply.isHidden())
    qtbot.waitUntil(lambda: "as it was" not in page.frame.heading.text())
    assert page.replay.isHidden()
    assert not page.why.isHidden()
    assert not page.weights.isHidden()


def test_replay_drops_requests_that_the_cursor_has_passed(page: ResultPage, replayed, qtbot):
    seen = []
    page.replay.moment_ready.connect(lambda moment: seen.append(moment.trial))
    for value in range(40):
        page.replay.slider.setValue(value)
    qtbot.waitUntil(lambda: seen[-1:] == [39])
    assert len(seen) == 2  # the first, which the worker had begun, and the latest


def test_replay_plays_from_the_begin_and_pauses(page: ResultPage, replayed, qtbot):
    page.replay._timer.setInterval(0)
    seen = []
    page.replay.moment_ready.connect(lambda moment: seen.append(moment.trial))
    page.replay.play.click()
    assert page.replay.play.text() == "Pause"
    qtbot.waitUntil(lambda: len(seen) > 3)
    page.replay.play.click()
    assert seen == sorted(set(seen))
    assert seen[0] == 0
    assert page.replay.play.text() == "Play"


def test_replay_turns_of_the_window_take_at_most_a_frame(page: ResultPage, replayed, qtbot):
    work = OwnWork()
    work.start()
    for value in (20, 5, 53, 30, 41, 12):
        page.replay.slider.setValue(value)
        qtbot.waitUntil(lambda value=value: page.moment is not None and page.moment.trial == value)
        qtbot.waitUntil(lambda: not page._queue._waiting)
    work.stop()
    assert work.light(99), work


def test_another_run_ends_the_replay(page: ResultPage, replayed, qtbot):
    page.replay.slider.setValue(3)
    page.show_finding(recorded_result(samples=False, seed=2, run_id="other"))
    assert page.replay.isHidden()
    assert page.moment is None
    assert shows(page, page.answer)
