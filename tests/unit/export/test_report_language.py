"""Reports in another language: texts of the templates are translated, and values in them stay escaped."""

from collections.abc import Iterator

import msgspec
import pytest
from markupsafe import escape

from scheduler.export.html_report import report_text
from scheduler.export.material import ExportMaterial
from scheduler.model.split import GUEST
from scheduler.translation import LANGUAGE_VARIABLE, choose_language

HOSTILE = "<script>alert('{load}')</script>"


@pytest.fixture
def portuguese(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(LANGUAGE_VARIABLE, "en")
    choose_language("pt_BR")
    yield
    choose_language("en")


def _hostile(material: ExportMaterial) -> ExportMaterial:
    """Return material with a hostile name of the guest, a headline and reasons of discarded points."""
    domains = tuple(
        msgspec.structs.replace(domain, name=HOSTILE) if domain.id == GUEST else domain
        for domain in material.facts.domains
    )
    answer = msgspec.structs.replace(material.results.answer, headline=HOSTILE)
    first, *others = material.results.points
    discarded = msgspec.structs.replace(first, valid=False, reason=HOSTILE)
    results = msgspec.structs.replace(material.results, answer=answer, points=(discarded, *others), run_id=HOSTILE)
    return msgspec.structs.replace(
        material, results=results, facts=msgspec.structs.replace(material.facts, domains=domains)
    )


def test_report_of_portuguese_process_has_portuguese_headings(measured: ExportMaterial, portuguese: None) -> None:
    page = report_text(measured, on_paper=True)
    assert '<html lang="pt-BR">' in page
    for heading in ("Por quê", "Perda de cada divisão", "CPU usada e alocada", "Texto para um chamado de mudança"):
        assert f"<h2>{heading}</h2>" in page
    assert "<h2>Why</h2>" not in page
    choose_language("en")
    assert '<html lang="en">' in report_text(measured)


def test_translated_report_escapes_hostile_values(
    measured: ExportMaterial, simulated: ExportMaterial, portuguese: None
) -> None:
    for material, text in ((measured, "nenhuma medição válida: {}"), (simulated, "<title>SIMULADO: {} ")):
        page = report_text(_hostile(material), on_paper=True)
        assert text.format(escape(HOSTILE)) in page
        assert f"execução {escape(HOSTILE)}</footer>" in page
        assert "<script" not in page
    ticket = report_text(_hostile(measured), on_paper=True).partition("Texto para um chamado de mudança")[2]
    assert str(escape(HOSTILE)) in ticket.partition("</section>")[0]


def test_markup_of_load_in_message_stays_markup(measured: ExportMaterial, portuguese: None) -> None:
    page = report_text(measured)
    assert '<th scope="col" class="n"><span class="load ' in page
    assert ": perda, %</th>" in page
    assert "&lt;span" not in page
