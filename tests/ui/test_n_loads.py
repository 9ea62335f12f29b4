"""Result and live pages with the third kind of load of docs/developers/add-a-load.md; colours that all tell apart."""

import csv
import itertools
import json

import msgspec
import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtGui import QColor, QImage

from app.pages.result_data import result_data_of
from app.pages.result_page import ResultPage
from app.pages.weight_sliders import WeightSliders
from app.plots.load_items import LoadItems
from app.theme.theme import Theme
from app.theme.tokens import DARK, LIGHT, Palette
from app.widgets.series_style import load_style
from scheduler.export.exporters import list_exporters
from scheduler.model.documents import TrialDone
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.objective import Objective
from scheduler.model.operation_kinds import OperationFigures
from tests.data_maker import make_documents, make_spec
from tests.third_kind import registered, third_kind
from tests.ui.looks import clipped, outside
from tests.ui.recorded import recorded_result

# Machado, Oliveira, Fernandes (IEEE TVCG 15, 2009), severity 1: what who lacks one kind of cone sees of linear RGB.
SIGHT = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
LEAST_APART = 15.0  # in CIE Lab: 2.3 is just noticeable

COLOURS = [kind.colour for kind in (*LOAD_KINDS.values(), third_kind())]

LEAST_PX = 40  # of a mark; a circle has 80, a star of the same width had 19


@pytest.fixture
def third(monkeypatch):
    with registered(monkeypatch) as kind:
        yield kind.name


def spec_of_three(third: str, **changes):
    return msgspec.structs.replace(make_spec(kinds=["osdb-ir", "osdb-oltp", third]), **changes)


def lab(colour: str, sight) -> np.ndarray:
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(np.array(sight) @ linear, 0, 1) / np.array([0.9505, 1.0, 1.089])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("sight", SIGHT)
def test_loads_are_distinguished_with_any_colour_vision(palette: Palette, sight: str):
    seen = {each.name: lab(each.shade(dark=palette.dark), SIGHT[sight]) for each in COLOURS}
    apart = {pair: np.linalg.norm(seen[pair[0]] - seen[pair[1]]) for pair in itertools.combinations(seen, 2)}
    assert {pair: round(float(far), 1) for pair, far in apart.items() if far < LEAST_APART} == {}


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_of_further_loads_can_be_seen_on_plots(palette: Palette):
    from tests.ui.test_tokens import contrast

    assert all(contrast(each.shade(dark=palette.dark), palette.raised) >= 3.0 for each in COLOURS[2:])


def test_result_of_three_loads_shows_names_and_weighs_all(page: ResultPage, third: str, qtbot):
    page.show_finding(recorded_result(spec=spec_of_three(third)))
    qtbot.wait(50)
    style = load_style(third, LIGHT)
    assert (style.symbol, style.colour) == ("load-arrow", third_kind().colour.light)
    assert {kind for _, kind in page.plot.shown} == {"osdb-ir", "osdb-oltp", third}
    assert [(entry.mark, entry.words) for entry in page.plot.legend(LIGHT)][2] == ("load-arrow", "Ranges")
    assert page.plot.canvas.getAxis("left").labelText == "% of each load's best"
    assert "Ranges loss" in page.regret.table_of(page.answer, page.finding.run.spec).headers
    assert "ranges/s" in page.head.lines[2].text()
    assert list(page.weights.each.sliders) == ["osdb-ir", "osdb-oltp", third]
    assert page.weights.each.isVisible()
    assert not page.weights.slider.isVisible()
    assert clipped(page) == []
    assert outside(page) == []


def test_three_sliders_rank_again_and_go_back_to_the_plan(page: ResultPage, third: str, qtbot):
    documents = make_documents(spec=spec_of_three(third, weights={"osdb-ir": 2.0, "osdb-oltp": 1.0, third: 1.0}))
    page.show_finding(result_data_of(documents))
    before = page.answer.weights
    assert [slider.value() for slider in page.weights.each.sliders.values()] == [100, 50, 50]
    assert not page.weights.reset.isEnabled()
    for kind in ("osdb-ir", third):
        page.weights.each.sliders[kind].setValue(0)
    qtbot.waitUntil(lambda: page.answer.weights == {"osdb-ir": 0.0, "osdb-oltp": 1.0, third: 0.0})
    assert page.answer == page.finding.weighted(page.answer.weights)
    page.weights.reset.click()
    qtbot.waitUntil(lambda: page.answer.weights["osdb-ir"] == pytest.approx(before["osdb-ir"]))


def test_five_sliders_remain_two_in_a_row_where_there_is_room(theme, qtbot):
    sliders = WeightSliders(theme)
    qtbot.addWidget(sliders)
    sliders.show_weights(dict.fromkeys(("osdb-ir", "osdb-oltp", "tpcb", "order-entry", "tpch"), 0.2))
    sliders.show()
    for width_px, rows in ((900, 3), (320, 5), (900, 3)):
        sliders.resize(width_px, sliders.sizeHint().height())
        qtbot.waitUntil(lambda rows=rows: len({slider.y() for slider in sliders.sliders.values()}) == rows)
    assert min(slider.width() for slider in sliders.sliders.values()) >= 120


@pytest.mark.parametrize("objective", [Objective("worst-case"), Objective("limited", "osdb-ir", 0.3)])
def test_every_objective_answers_for_three_loads(page: ResultPage, third: str, objective):
    page.show_finding(recorded_result(spec=spec_of_three(third, objective=objective)))
    assert page.answer.label
    assert all(line.text() for line in page.head.lines)


def test_three_loads_are_exported(third: str, tmp_path):
    finding = recorded_result(spec=spec_of_three(third))
    given = finding.results, finding.run.spec, finding.run.facts
    for name, suffix in (("html", ".html"), ("csv", ".csv"), ("json", ".json"), ("plan", ".toml")):
        list_exporters()[name].write(*given, tmp_path / f"run{suffix}")
    page = (tmp_path / "run.html").read_text()
    assert 'class="load arrow brown"' in page
    assert "tuples/s or ranges/s" in page
    rows = list(csv.DictReader((tmp_path / "run.csv").read_text().splitlines()))
    assert {row["load"] for row in rows} == {"osdb-ir", "osdb-oltp", third}
    assert rows[0]["mean (tuples/s or ranges/s)"]
    assert {point["load"] for point in json.loads((tmp_path / "run.json").read_text())["points"]} >= {third}
    assert f'kind = "{third}"' in (tmp_path / "run.toml").read_text()


def test_sorts_of_operations_fold_out_where_a_load_has_several(page: ResultPage, qtbot):
    documents = make_documents(spec=make_spec(kinds=["osdb-ir", "order-entry"]))
    page.show_finding(result_data_of(documents))
    assert page.measured.sorts_fold.isHidden()
    reported = {"new-order": OperationFigures(12_345.0, 2.0, 8.0), "repeated": OperationFigures(3.0)}
    several = [
        msgspec.structs.replace(each, sorts=reported)
        if isinstance(each, TrialDone) and each.load == "order-entry"
        else each
        for each in documents
    ]
    page.show_finding(result_data_of(several))
    assert not page.measured.sorts_fold.isHidden()
    assert page.measured.sorts.isHidden()
    page.measured.sorts_fold.click()
    assert not page.measured.sorts.isHidden()
    table = page.measured.sorts.source.table
    assert table.headers[2:] == ("Sort", "Per minute", "p50 (ms)", "p95 (ms)")
    assert table.rows[0][1:] == ("Orders", "new-order", 12_345.0, 2.0, 8.0)
    assert len(table.rows) == 2 * len({row[0] for row in table.rows})
    assert clipped(page) == []


def test_plot_of_five_loads_has_room_and_a_marked_splits_words_stay_whole(page: ResultPage, qtbot):
    spec = make_spec(kinds=["osdb-ir", "osdb-oltp", "tpcb", "order-entry", "tpch"])
    page.show_finding(recorded_result(spec=spec))
    qtbot.wait(50)
    plot = page.plot
    assert plot.view.height() > 150
    area = plot.view.sceneBoundingRect()
    for setting in spec.settings:
        plot.mark(setting, (), "recommended")
        words = plot.crown.mapRectToScene(plot.crown.boundingRect())
        assert area.left() - 1 <= words.left(), setting.label
        assert words.right() <= area.right() + 1, setting.label


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_mark_of_every_load_can_be_seen(theme: Theme, palette: Palette, qtbot):
    seen = {}
    for kind in LOAD_KINDS:
        plot = pg.PlotWidget(background=palette.raised)
        qtbot.addWidget(plot)
        items = LoadItems(plot.getPlotItem(), theme, kind, 0.0)
        items.restyle(palette)
        items.marks.setData([0.0], [0.0])
        plot.hideAxis("left")
        plot.hideAxis("bottom")
        plot.setRange(xRange=(-1, 1), yRange=(-1, 1))
        plot.resize(60, 60)
        seen[kind] = inked_px(plot.grab().toImage(), load_style(kind, palette).colour, palette.raised)
    assert {kind: px for kind, px in seen.items() if px < LEAST_PX} == {}


def inked_px(image: QImage, colour: str, ground: str) -> float:
    """Return how many pixels have a colour; one that is half of it and half the ground's is half a one."""
    places = [QColor(image.pixel(x, y)) for x in range(image.width()) for y in range(image.height())]
    seen = np.array([each.getRgb()[:3] for each in places], float)
    paper, ink = (np.array(QColor(name).getRgb()[:3], float) for name in (ground, colour))
    return float(np.abs(seen - paper).sum() / np.abs(ink - paper).sum())
