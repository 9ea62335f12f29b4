"""The report on paper: pages, drawings as shapes, sign-off and the text for a change ticket."""

import re

import pytest

from app.paper.paper_markup import PaperMarkup
from app.paper.report_styles import ReportStyles
from scheduler.errors import StoreError
from scheduler.export.html_report import report_text
from scheduler.export.pdf_report import write_pages, write_pdf_report


def read_markup(page: str) -> PaperMarkup:
    reader = PaperMarkup(ReportStyles(page.partition("<style>")[2].partition("</style>")[0], "Sans"))
    reader.feed(page)
    reader.close()
    return reader


def test_pdf_has_pages_and_draws_shapes_only(measured, tmp_path):
    (path,) = write_pdf_report(measured, tmp_path / "report.pdf")
    data = path.read_bytes()
    assert data.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", data)) >= 2
    assert b"/Subtype /Image" not in data


def test_pdf_in_a_missing_folder_is_refused_in_words(tmp_path):
    with pytest.raises(StoreError, match=r"The pages could not be made: .*takes no pages") as caught:
        write_pages("<style></style><p>text</p>", tmp_path / "missing" / "report.pdf")
    assert "HTML" in caught.value.hint


def test_paper_has_a_sign_off_and_the_screen_has_the_command_log(measured):
    paper, screen = report_text(measured, on_paper=True), report_text(measured)
    assert all(words in paper for words in ("Sign-off", "Prepared by", "Approved by", "Date"))
    assert "<summary>" not in paper
    assert "Sign-off" not in screen
    assert "<summary>Command log" in screen


def test_change_of_a_real_host_has_a_ticket(measured, simulated):
    paper = report_text(measured, on_paper=True)
    assert "Text for a change ticket" in paper
    assert "Set the CPU split 1:1 (I/O domain:guest)" in paper
    assert f"domtune apply {measured.results.run_id}" in paper
    assert "Text for a change ticket" not in report_text(simulated, on_paper=True)


def test_markup_has_no_variable_and_no_drawing_of_the_page(measured):
    reader = read_markup(report_text(measured, on_paper=True))
    assert len(reader.figures) > 10
    assert reader.title.startswith(measured.results.answer.headline[:20])
    assert "<svg" not in reader.markup
    assert "var(" not in reader.markup
    for figure in reader.figures:
        assert b"var(" not in figure.svg


def test_drawing_takes_the_colours_of_the_light_style_sheet():
    styles = ReportStyles(
        ":root { --a: #111111; } @media screen { :root { --a: #222222; } }"
        "svg text { font: 12px sans; fill: var(--a); } svg .io { --series: #333333; } svg .dot { fill: var(--series); }"
        "svg .dot.pale { opacity: .4; }",
        "Sans",
    )
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><text>x</text><g class="io"><circle class="dot pale"/></g></svg>'
    drawn = styles.apply_to(svg).decode()
    assert '<text font-family="Sans" fill="#111111" font-size="12">x</text>' in drawn
    assert re.search(r'<circle [^>]*fill="#333333" opacity=".4"', drawn)
