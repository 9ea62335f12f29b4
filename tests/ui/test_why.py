"""Why: what the reasons are good for, and what limited each split."""

import msgspec
import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel

from app.live.phrases import limit_word
from app.panels.result_data import finding_of
from app.panels.result_page import ResultPage
from app.panels.share_rows import ShareBars
from app.widgets.series_style import domain_style
from app.words import typeset
from scheduler.model.split import GUEST, IO
from tests.data_maker import make_documents


def test_that_every_point_says_its_bottleneck_in_a_word_beside_its_shares(page: ResultPage):
    page.show_finding(finding_of(make_documents()))
    bars = page.why.findChildren(ShareBars)
    points = page.finding.results.points
    assert len(bars) == len(points)
    said = {(label.text(), label.accessibleDescription()) for label in page.why.findChildren(QLabel)}
    assert {(limit_word(point.bottleneck), point.bottleneck_text) for point in points} <= said


def test_that_a_bar_is_filled_as_far_as_was_delivered_and_says_what_was_configured(theme, qtbot):
    point = finding_of(make_documents()).results.points[0]
    delivered = {IO: 0.2, GUEST: 0.7}
    point = msgspec.structs.replace(point, delivered_share=delivered, configured_share={IO: 0.5, GUEST: 0.5})
    bars = ShareBars(theme)
    qtbot.addWidget(bars)
    bars.show_point(point)
    said = [words.partition(": ")[2] for words in bars.accessibleName().split("\n")]
    assert said == [typeset("20 % delivered, 50 % configured"), typeset("70 % delivered, 50 % configured")]
    bars.resize(bars.sizeHint())
    picture = bars.grab().toImage()
    for domain, part in ((IO, 0.25), (GUEST, 0.75)):
        colour, y = QColor(domain_style(domain, theme.palette).colour), int(part * picture.height())
        filled = sum(picture.pixelColor(x, y) == colour for x in range(picture.width()))
        assert filled / picture.width() == pytest.approx(delivered[domain], abs=0.05)


def test_that_the_reasons_stand_as_evidence_what_it_means_and_its_limits(page: ResultPage, qtbot):
    page.show_finding(finding_of(make_documents(simulated=True, host_url="sim:")))
    evidence, means, limits = ([line[2:] for line in words.text().split("\n")] for _, words in page.why.groups)
    answer = page.answer
    assert (means, limits) == ([*map(typeset, answer.means)], [*map(typeset, answer.limits)])
    assert sorted([*evidence, *means, *limits]) == sorted(map(typeset, answer.reasons))
    assert "Next comes" in " ".join(evidence)
    assert any(line.startswith("IR runs at") for line in means)
    assert limits[0].startswith("Simulated")
    assert all(title.isVisibleTo(page) for title, _ in page.why.groups)
    page.why.show_answer(msgspec.structs.replace(answer, reasons=answer.reasons[:1], means=(), limits=()))
    qtbot.waitUntil(lambda: len(page.why.reasons) == 1)
    assert not any(title.isVisibleTo(page) for title, _ in page.why.groups), "one group needs no title"
