"""Why: what the reasons are good for, and what limited each split."""

import datetime

import msgspec
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel

from app.display_texts import typeset_text
from app.pages.result_data import result_data_of
from app.pages.result_page import ResultPage
from app.pages.why_card import ShareBars, ShareRowLayout
from app.plots.live_texts import limit_word
from app.widgets.series_style import domain_style
from scheduler.model.documents import TrialDone
from scheduler.model.results import Recommendation
from scheduler.model.split import GUEST, IO
from scheduler.stats.history_means import build_history
from tests.data_maker import make_documents
from tests.studies_maker import capacity_documents, isolation_documents, overhead_documents, scale_up_documents
from tests.ui.recorded import recorded_result


def test_every_point_reports_its_bottleneck_in_a_word_next_to_its_shares(page: ResultPage):
    page.show_finding(recorded_result())
    bars = page.why.findChildren(ShareBars)
    points = page.finding.results.points
    assert len(bars) == len(points)
    said = {(label.text(), label.accessibleDescription()) for label in page.why.findChildren(QLabel)}
    assert {(limit_word(point.bottleneck), point.bottleneck_text) for point in points} <= said


def test_bar_is_filled_as_far_as_the_cpu_used_and_reports_the_cpu_allotted(theme, qtbot):
    point = recorded_result().results.points[0]
    used = {IO: 0.2, GUEST: 0.7}
    point = msgspec.structs.replace(point, used_share=used, allotted_share={IO: 0.5, GUEST: 0.5})
    bars = ShareBars(theme)
    qtbot.addWidget(bars)
    bars.show_point(point)
    said = [words.partition(": ")[2] for words in bars.accessibleName().split("\n")]
    assert said == [typeset_text("20 % used, 50 % allotted"), typeset_text("70 % used, 50 % allotted")]
    bars.resize(bars.sizeHint())
    picture = bars.grab().toImage()
    for domain, part in ((IO, 0.25), (GUEST, 0.75)):
        colour, y = QColor(domain_style(domain, theme.palette).colour), int(part * picture.height())
        filled = sum(picture.pixelColor(x, y) == colour for x in range(picture.width()))
        assert filled / picture.width() == pytest.approx(used[domain], abs=0.05)


@pytest.mark.parametrize(
    ("documents", "splits"),
    [
        (capacity_documents, {"1:2", "2:1"}),
        (overhead_documents, {"1:1"}),
        (isolation_documents, {"1:1:1"}),
        (scale_up_documents, set()),
    ],
)
def test_bar_of_a_split_is_next_to_settings_that_have_one_alone(page: ResultPage, qtbot, documents, splits):
    page.show_finding(result_data_of(documents()))
    rows = page.why._splits
    qtbot.waitUntil(lambda: all(row.isVisibleTo(page) for row in rows))
    bars = [row._tag.bar for row in rows]
    assert {bar.split.label for bar in bars if bar.split is not None} == splits
    assert [bar.isVisibleTo(page) for bar in bars] == [bar.split is not None for bar in bars]
    assert [row._tag.words.text() for row in rows] == [*dict.fromkeys(p.label for p in page.finding.results.points)]
    qtbot.waitUntil(lambda: len({row._tag.words.mapTo(page, QPoint(0, 0)).x() for row in rows}) == 1)


def test_full_bar_is_as_many_cpus_as_the_domains_had(page: ResultPage, theme):
    """The CPU allotted is a share of all shared CPUs; the CPU used counts single CPUs."""
    four = ShareRowLayout(full_cpus=4, shared_cpus=2)
    point = recorded_result().results.points[0]
    point = msgspec.structs.replace(point, used_share={IO: 1.0, GUEST: 3.0}, allotted_share={IO: 1.0})
    bars = ShareBars(theme, page)
    bars.resize(bars.sizeHint())
    bars.show_point(point, four)
    picture = bars.grab().toImage()
    for domain, part in ((IO, 0.25), (GUEST, 0.75)):  # of its CPUs, and where its bar is
        colour, y = QColor(domain_style(domain, theme.palette).colour), int(part * picture.height())
        seen = sum(picture.pixelColor(x, y) == colour for x in range(picture.width()))
        assert seen / picture.width() == pytest.approx(part, abs=0.05)
    beyond = range(picture.width() // 3, picture.width())
    edge = min(beyond, key=lambda x: picture.pixelColor(x, picture.height() // 4).lightness())
    assert edge / picture.width() == pytest.approx(0.5, abs=0.05)
    page.why.show_points([point], 2)
    assert "A full bar is 3 CPUs." in page.why.legend.text()
    page.why.show_points([msgspec.structs.replace(point, used_share={IO: 0.4, GUEST: 0.7})])
    assert "A full bar" not in page.why.legend.text()


def test_reasons_remain_as_evidence_what_it_means_and_its_limits(page: ResultPage, qtbot):
    page.show_finding(recorded_result(simulated=True, host_url="sim:"))
    evidence, means, limits = ([line[2:] for line in words.text().split("\n")] for _, words in page.why.groups)
    answer = page.answer
    assert (means, limits) == ([*map(typeset_text, answer.advice)], [*map(typeset_text, answer.limit_sentences)])
    assert sorted([*evidence, *means, *limits]) == sorted(map(typeset_text, answer.sentences))
    assert "Second best is" in " ".join(evidence)
    assert any(line.startswith("IR runs at") for line in means)
    assert limits[0].startswith("Simulated")
    assert all(title.isVisibleTo(page) for title, _ in page.why.groups)
    page.why.show_answer(Recommendation(verdict=answer.verdict, reasons=answer.reasons[:1]))
    qtbot.waitUntil(lambda: len(page.why.reasons) == 1)
    assert not any(title.isVisibleTo(page) for title, _ in page.why.groups), "one group needs no title"


def test_why_card_shows_what_the_earlier_run_counts_among_evidence(page: ResultPage, qtbot):
    begun, *rest = make_documents(seed=2)
    trials = [document for document in make_documents(seed=1) if isinstance(document, TrialDone)]
    history = build_history(trials, begun.spec, "run-1", datetime.date(2026, 11, 24))
    page.show_finding(result_data_of([msgspec.structs.replace(begun, history=history), *rest]))
    evidence = page.why.groups[0][1]
    qtbot.waitUntil(lambda: "Counts the run of Tuesday, 24" in evidence.text())
    answer = page.finding.weighted({"osdb-ir": 1.0, "osdb-oltp": 3.0})
    assert answer.history == page.finding.results.answer.history
