"""The result page's card beside the paper: there for runs that match, made when it is unfolded, never misleading."""

from pathlib import Path

import pytest
from PySide6.QtGui import QFontMetricsF

from app.display_texts import typeset_text
from app.pages.result_page import ResultPage
from app.theme.theme import Appearance, Theme
from scheduler.model.load_looks import BLUE
from scheduler.papers.claims import ClaimOutcome
from tests.data_maker import make_spec
from tests.ui.looks import clipped, outside
from tests.ui.recorded import recorded_result
from tests.volume import few

pytestmark = pytest.mark.ui


def _show(page: ResultPage, *, unfold: bool = True, **options):
    page.show_finding(recorded_result(samples=False, **options))
    page.papers.fold.setChecked(unfold)
    return page.papers


def test_it_is_there_only_for_runs_that_a_paper_can_be_laid_next_to(page: ResultPage):
    assert _show(page, unfold=False).isVisibleTo(page)
    assert page.papers.frame is None  # a folded card costs nothing
    assert "of Calheiros et al. (2007)" in page.papers.subtitle.text()
    assert not _show(page, spec=make_spec(splits=("1:3", "1:4", "3:1"))).isVisibleTo(page)
    assert not _show(page, spec=make_spec(kinds=("tpcb",))).isVisibleTo(page)
    assert _show(page).isVisibleTo(page)


def test_plot_and_table_twin_hold_the_same_ranks_and_no_heights(page: ResultPage):
    card = _show(page)
    (beside,) = page.finding.besides
    table = card.frame.plot.table()
    assert len(table.rows) == len(beside.standings) == 18
    assert [row[4] for row in table.rows] == [row.rank for row in beside.standings]
    marks = [item for item in card.frame.plot._items if hasattr(item, "points")]
    drawn = sorted(int(point.pos().y()) for item in marks for point in item.points())
    assert drawn == sorted(row.rank for row in beside.standings)
    assert not any("/s" in header for header in table.headers)
    words = [entry.words for entry in card.frame.plot.legend(page._theme.palette)]
    assert any(beside.paper.method.short in text for text in words)
    assert any(typeset_text(beside.here) in text for text in words)


def test_each_statement_has_its_row_of_another_run_too(page: ResultPage):
    card = _show(page)
    (beside,) = page.finding.besides
    assert {fact.holds for fact in beside.facts} == set(ClaimOutcome)
    assert [row[2] for row in card.facts.words] == [typeset_text(fact.figures) for fact in beside.facts]
    assert all(row[0].endswith(fact.holds.value) for row, fact in zip(card.facts.words, beside.facts, strict=True))
    _show(page, spec=make_spec(kinds=("osdb-ir",)))
    assert {fact.id for fact in page.finding.besides[0].facts if fact.lack} >= {"oltp-best", "apart"}
    assert [row[2] for row in card.facts.words] == [
        typeset_text(fact.figures) for fact in page.finding.besides[0].facts
    ]


@pytest.mark.parametrize(
    ("appearance", "options"),
    few(
        [(Appearance.LIGHT, {"simulated": True, "host_url": "sim:"})],
        [(Appearance.LIGHT, {}), (Appearance.DARK, {"noise": 0.2})],
    ),
)
def test_paper_card_unfolded_fits_the_smallest_screen(page: ResultPage, theme: Theme, qtbot, appearance, options):
    theme.set_appearance(appearance)
    page.window().resize(1024, 600)
    card = _show(page, **options)
    qtbot.waitUntil(lambda: clipped(page) == [] and outside(page) == [])
    qtbot.waitUntil(lambda: card.frame.plot.width() > 700)
    key = card.frame.plot._key
    metrics = QFontMetricsF(theme.font())
    ends = [at.x() + 22 + metrics.horizontalAdvance(entry.words) for entry, at in key.places()]
    assert max(ends) <= key.size().width()
    assert ("simulated" in card.subtitle.text()) == bool(options.get("simulated"))


def test_rank_plot_unfolded_for_the_first_time_fills_its_frame(page: ResultPage, qtbot):
    plot = _show(page).frame.plot
    qtbot.waitUntil(lambda: plot.width() > 800)
    qtbot.wait(20)
    assert plot.item.size() == plot.viewport().size()


def test_colours_follow_the_palette_and_the_fold_closes_again(page: ResultPage, theme: Theme):
    card = _show(page)
    theme.set_appearance(Appearance.DARK)
    marks = next(item for item in card.frame.plot._items if hasattr(item, "points"))
    assert marks.opts["brush"].color().name() == BLUE.dark.lower()
    card.fold.setChecked(False)
    assert not card.frame.isVisibleTo(page)
    assert not card.facts.isVisibleTo(page)


def test_saved_picture_reports_how_the_methods_differ(page: ResultPage, tmp_path: Path, qtbot):
    card = _show(page, simulated=True, host_url="sim:")
    card.frame.save(tmp_path / "ranks.svg")
    qtbot.waitUntil(card.frame.message.isVisible)
    svg = (tmp_path / "ranks.svg").read_text()
    for words in ("Xen 3.0.1", "here: ranks by", "Rank (1 is the best)", "simulated"):
        assert words in svg


def test_pointing_at_a_split_reports_both_ranks(page: ResultPage):
    card = _show(page)
    words = card.frame.plot.words_at(0.0, 1.0)
    assert words.startswith("<b>1:1</b>")
    assert "IR: rank 1 to 4 in the paper" in words
    assert card.frame.plot.words_at(0.35, 1.0) == ""
