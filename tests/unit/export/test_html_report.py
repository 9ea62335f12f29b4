import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import msgspec
import pytest
from markupsafe import escape

from scheduler.export.html_report import report_text
from scheduler.export.svg_chart import LinearScale, SvgDrawing, axis_ticks
from scheduler.model.documents import RunOutcome
from scheduler.model.load_looks import UNKNOWN_MARKER
from scheduler.model.number_texts import format_table_number
from scheduler.model.objective import Objective
from scheduler.model.results import SplitVerdict
from scheduler.model.spec import Mode
from tests.data_maker import make_spec

_VOID = {"meta", "br", "img", "link", "input", "hr"}


class Balance(HTMLParser):
    """Fails on tags that are not closed in order."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        pass


def check_tags(page):
    balance = Balance()
    balance.feed(page)
    assert balance.open == []


def figures_of(page):
    return [ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


def test_report_is_one_file_that_asks_for_nothing(measured):
    page = report_text(measured)
    check_tags(page)
    assert not re.findall(r"""(?:src|href|url)\s*[=(]""", page)
    assert "<script" not in page
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) <= {"http://www.w3.org/2000/svg"}


def test_objective_remains_where_the_weights_would(measured, material):
    spec = msgspec.structs.replace(make_spec(), objective=Objective("limited", "osdb-oltp", 0.1))
    limited, weighted = report_text(material(spec=spec)), report_text(measured)
    assert "Best for OLTP, at most 10 % of IR lost" in limited
    assert "Weights</" in weighted
    assert "Weights</" not in limited


def test_it_gives_the_answer_reasons_protocol_versions_deviations_and_ledger(measured):
    page = report_text(measured)
    advice = measured.results.answer
    assert advice.headline in page
    for text in (*advice.sentences, *measured.results.differences, *measured.results.versions.values()):
        assert text in page
    assert "3 trials per split and load, 10 s each" in page
    assert measured.command_log[-1].command in page
    assert f"{len(measured.command_log)} commands" in page


def test_every_figure_has_its_table(measured):
    page = report_text(measured)
    figures = figures_of(page)
    assert len(figures) == 1 + 1 + len(measured.spec.loads)
    assert page.count("<table>") == 3 + 3
    for point in measured.results.points:
        assert format_table_number(point.mean_tps) in page


def test_model_is_next_to_the_measurement(measured, material):
    page = report_text(measured)
    throughput = figures_of(page)[0]
    curves = [e for e in throughput.iter("{http://www.w3.org/2000/svg}polyline") if "model" in e.get("class")]
    assert len(curves) == len(measured.results.model) == 2
    text = page.replace("&#39;", "'")
    for model in measured.results.model:
        assert " ".join(model.sentences) in text
        for reported in model.points:
            assert f'<td class="n">{format_table_number(reported.predicted_tps)}</td>' in page
    short = report_text(material(trials=2, outcome=RunOutcome.ABORTED))
    assert "no model" in short
    assert "Model, tuples/s" not in short


def test_both_loads_differ_in_marker_and_colour_and_the_winner_is_marked(measured):
    throughput = figures_of(report_text(measured))[0]
    svg = "{http://www.w3.org/2000/svg}"
    circles = [e for e in throughput.iter(f"{svg}circle") if "dot ir" in e.get("class")]
    squares = [e for e in throughput.iter(f"{svg}rect") if "dot oltp" in e.get("class")]
    assert len(circles) == len(squares) == 9 + 1  # and one in the legend
    assert [e.text for e in throughput.iter(f"{svg}text") if e.get("class") == "mark"] == ["advised"]
    assert len([e for e in throughput.iter(f"{svg}line") if e.get("class") == "baseline ir"]) == 2


def test_proposal_is_drawn_hollow_and_labelled_in_figure_and_table(material):
    proposing = material(spec=make_spec(splits=("1:5", "1:2", "2:1", "5:1"), repeats=6), noise=0.01)
    proposal = proposing.results.answer.proposal
    page, svg = report_text(proposing), "{http://www.w3.org/2000/svg}"
    hollow = [e for e in figures_of(page)[0].iter() if e.get("class", "").startswith("predicted ")]
    assert [e.tag.removeprefix(svg) for e in hollow] == ["circle", "rect"]
    assert all("interpolated, not measured" in "".join(e.itertext()) for e in hollow)
    assert page.count('<td colspan="6">interpolated, not measured</td>') == 2
    assert f"Interpolated, not measured: {proposal.label}, between 1:2 and 2:1, may gain" in page


def test_what_is_drawn_stays_inside_the_picture(material):
    for options in ({}, {"noise": 0.3}, {"repeats": 2, "noise": 0.2}, {"mode": Mode.WEIGHTS}):
        for figure in figures_of(report_text(material(**options))):
            _, _, width, height = (float(part) for part in figure.get("viewBox").split())
            for element in figure.iter():
                for name, limit in (
                    ("x", width),
                    ("y", height),
                    ("cx", width),
                    ("cy", height),
                    ("x2", width),
                    ("y2", height),
                ):
                    assert 0 <= float(element.get(name, 0)) <= limit


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a\"b'c&d", "{{ 7*7 }}"])
def test_names_are_data(measured, name):
    results = msgspec.structs.replace(measured.results, name=name, host_title=name, notices=(name,))
    page = report_text(msgspec.structs.replace(measured, results=results))
    check_tags(page)
    assert "<script" not in page
    assert str(escape(name)) in page


def test_simulated_report_wears_its_ribbon(simulated, measured):
    page = report_text(simulated)
    assert 'class="ribbon"' in page
    assert "<title>SIMULATED" in page
    assert page.count("(simulated)") >= 4
    assert 'class="ribbon"' not in report_text(measured)


@pytest.mark.parametrize(
    "options",
    [
        {"trials": 0, "outcome": RunOutcome.FAILED},
        {"trials": 1, "outcome": None},
        {"trials": 30, "outcome": RunOutcome.ABORTED, "restored": False},
        {"failing": [("1:1", "osdb-ir"), ("1:1", "osdb-oltp")]},
        {"repeats": 1},
        {"noise": 0.6},
        {"mode": Mode.WEIGHTS},
    ],
)
def test_every_kind_of_run_has_a_report(material, options):
    sweep = material(**options)
    page = report_text(sweep)
    check_tags(page)
    assert sweep.results.answer.headline in page.replace("&#39;", "'")
    if sweep.results.answer.verdict is SplitVerdict.NONE:
        assert "recommended</text>" not in page
        assert 'class="named"' not in page
    if not sweep.results.restored:
        assert "NO, see the notices" in page


def test_report_follows_the_systems_theme_and_prints(measured):
    page = report_text(measured)
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_drawing_escapes_every_text():
    drawing = SvgDrawing(10, 10, "<&\"'>")
    drawing.text((1, 1), "<b>&", "tick")
    drawing.marker((1, 1), UNKNOWN_MARKER, "dot", "<tip>")
    parsed = ElementTree.fromstring(drawing.markup())
    assert [element.text for element in parsed.iter() if element.text] == ["<&\"'>", "<b>&", "<tip>"]


@pytest.mark.parametrize(
    ("high", "expected"), [(17_800, [0, 5000, 10_000, 15_000, 20_000]), (1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0, [0, 1])]
)
def test_ticks_are_round_and_reach_the_top(high, expected):
    assert axis_ticks(high) == pytest.approx(expected)


def test_scale_maps_linearly_and_clips():
    scale = LinearScale((0, 10), (100, 0))
    assert [scale(value) for value in (0, 5, 10, 20, -1)] == [100, 50, 0, 0, 100]
