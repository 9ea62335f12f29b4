"""Generator of docs/reference/glossary.md, from resources/glossary.toml."""

import sys
from pathlib import Path

from scheduler.model.glossary import load_glossary

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "glossary.md"


def build_page() -> str:
    """Return the page."""
    glossary = load_glossary()
    terms = sorted(glossary.term, key=lambda term: term.name.casefold())
    rows = "".join(f"| {term.name} | {term.meaning} |\n" for term in terms)
    replaced = "".join(
        f"| {', '.join((*term.retired, *term.senses))} | {term.name} |\n"
        for term in terms
        if term.retired or term.senses
    )
    style = "".join(f"| {', '.join(rule.retired)} | {rule.use} |\n" for rule in glossary.style)
    return (
        "# Glossary\n\n"
        "Use this page when you meet a term in the window, on the command line or in these pages. The window\n"
        "shows the same meanings as tooltips, and all of them under *Help > Glossary*. The terms are declared\n"
        "in `resources/glossary.toml`; `packaging/make_glossary.py` writes this page.\n\n"
        f"| term | meaning |\n|---|---|\n{rows}\n"
        "## Words that DomTune no longer uses\n\n"
        "For authors. A test fails on the retired words in pages, texts and docstrings.\n\n"
        f"| instead of | write |\n|---|---|\n{replaced}{style}"
    )


if __name__ == "__main__":
    PAGE.write_text(build_page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
