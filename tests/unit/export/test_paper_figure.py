"""The report's section beside the paper: picture, tables, methods; only where a paper matches."""

import re
from xml.etree import ElementTree

from scheduler.export.html_report import report_text
from scheduler.papers.comparison import compare_with_papers, ranks_text
from tests.data_maker import make_spec

SVG = "{http://www.w3.org/2000/svg}"


def _ranks(page: str) -> ElementTree.Element:
    [text] = re.findall(r'<svg[^>]*aria-label="Rank of each split.*?</svg>', page, re.DOTALL)
    return ElementTree.fromstring(text)


def test_picture_and_table_hold_a_row_per_load_and_split_and_no_heights(measured):
    page = report_text(measured)
    [beside] = compare_with_papers(measured.results, measured.spec, measured.facts)
    drawn = _ranks(page)
    boxes = [part for part in drawn.iter(f"{SVG}rect") if part.get("class").startswith("stated")]
    marks = [part for part in drawn.iter() if part.get("class", "").startswith("dot")]
    assert len(boxes) == len(beside.standings) + 1 == 19  # one explains them
    assert len(marks) == len(beside.standings) + len(beside.loads)
    words = [part.text or "" for part in drawn.iter(f"{SVG}text")]
    assert f"Paper: {beside.paper.method.short}" in words
    assert f"Here: {beside.here}" in words
    assert "tuples/s" not in "".join(drawn.itertext())
    for row in beside.standings:
        assert f'<td class="n">{ranks_text(row.stated)}</td>' in page


def test_nothing_is_drawn_outside_of_the_picture_or_cut(measured):
    drawn = _ranks(report_text(measured))
    wide, high = (float(value) for value in drawn.get("viewBox").split()[2:])
    for part in drawn.iter(f"{SVG}text"):
        long_px = 6.8 * len(part.text or "")
        left = float(part.get("x")) - {"start": 0, "middle": 0.5, "end": 1}[part.get("text-anchor")] * long_px
        assert left >= 0
        assert left + long_px <= wide, part.text
        assert float(part.get("y")) <= high
    for part in drawn.iter(f"{SVG}rect"):
        assert float(part.get("y")) >= 0
        assert float(part.get("y")) + float(part.get("height")) <= high


def test_each_statement_remains_with_what_decides_and_methods_next_to_each_other(measured):
    page = report_text(measured).replace("&#39;", "'")
    [beside] = compare_with_papers(measured.results, measured.spec, measured.facts)
    for fact in beside.facts:
        assert fact.says in page
        assert fact.figures in page
    for row in beside.differences:
        assert row.paper in page
        assert row.here in page


def test_simulated_figures_report_it_next_to_the_paper(simulated):
    page = report_text(simulated)
    section = page[page.index("Comparison with the paper") : page.index("CPU used and allotted")]
    assert section.count("(simulated)") == 2
    assert "Here: simulated, " in section
    assert "no evidence" in section


def test_run_of_other_splits_has_no_such_section(material):
    page = report_text(material(spec=make_spec(splits=("1:3", "1:4", "3:1"))))
    assert "Comparison with the paper" not in page
