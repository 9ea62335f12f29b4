"""Tests of the large sentence of a result: few lines, nothing cut."""

import msgspec
import pytest
from PySide6.QtGui import QFontMetrics

from app.pages.result_page import ResultPage
from app.widgets.headline_label import WIDE_PX, HeadlineLabel
from tests.ui.recorded import recorded_result
from tests.volume import few

GAIN = "The gain of 2:5 over the original settings was not measured: the plan leaves the baseline out"
HEADLINES = (
    "Change to 2:5: +30 % (16 to 45 %) over the original settings (simulated).",
    "Keep the original settings: no split gains 2 % over the original settings (the best, 2:5: -11 "
    "to 0 %). To divide the "
    "CPU anyway, use 2:5, which costs 5.8 % (simulated).",
    "Keep the original settings for now: 2:5 may gain up to 12 % or lose 7.2 %. About 83 more "
    "minutes would probably decide.",
    f"Best of the five: 2:5. 1:2 may be as good. {GAIN} (simulated).",
    f"Best for IR, at most 10 % of OLTP lost: best of the five: 2:5. 1:2 may be as good. {GAIN} (simulated).",
)
SIZES = {(1280, 800): 2, (1024, 600): 3}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("headline", few(HEADLINES[::3], HEADLINES[1::3] + HEADLINES[2::3]))
def test_headline_on_result_page_has_few_lines_and_all_its_words(page: ResultPage, size, headline, qtbot):
    page.resize(size[0] - 112, size[1] - 25)  # what the window's rail and menu leave
    finding = recorded_result(samples=False)
    page.show_finding(finding)
    page.head.show_answer(msgspec.structs.replace(page.answer, headline=headline), finding.run.spec)
    sentence = page.head.sentence
    qtbot.waitUntil(lambda: (sentence.width() >= WIDE_PX) == (size[0] == 1280))
    qtbot.waitUntil(lambda: sentence.height() >= sentence.heightForWidth(sentence.width()))
    assert sentence.lines_at(sentence.width()) <= SIZES[size]
    assert sentence.height() < (SIZES[size] + 1) * QFontMetrics(sentence.font()).lineSpacing() + 4


def test_headline_of_few_words_is_as_large_as_can_be(qtbot):
    made = HeadlineLabel()
    qtbot.addWidget(made)
    made.resize(1000, 100)
    made.setText("Change nothing.")
    assert made.property("role") == "display"
    made.setText(HEADLINES[-1] * 2)
    assert made.property("role") == "lead"
    made.setText("Change nothing.")
    assert made.property("role") == "display"
