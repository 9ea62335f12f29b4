"""Generator of the catalogues of translations: resources/locale/LANGUAGE/LC_MESSAGES/domtune.po and domtune.mo.

Run this after changing a text or a translation. New messages come into the `.po` file without a translation; messages
that the program lost leave it. Translate them there (any editor of gettext files will do), and run this again.

    make_catalogue.py             update and compile all catalogues
    make_catalogue.py --check     write nothing; fail if a catalogue is old or incomplete
"""

import argparse
import datetime
import io
import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from scheduler.model.glossary import load_glossary
from scheduler.translation import LANGUAGES

_ROOT = Path(__file__).resolve().parent.parent
_JINJA = "jinja2.ext:babel_extract"
_EXTRACTORS = {"scheduler": ("**.py", "python"), "app": ("**.py", "python"), "resources": ("**.j2", _JINJA)}
"""File pattern and Babel's extractor for each folder with messages."""
_NO_DATE = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
_COMMENT = "Translators:"


def collect_messages() -> Catalog:
    """Return all messages of the program, without translations."""
    found = Catalog(project="DomTune", charset="utf-8")
    for folder, extractor in _EXTRACTORS.items():
        for _file, _line, message, comments, context in sorted(
            extract_from_dir(_ROOT / folder, [extractor], comment_tags=(_COMMENT,)),
            key=lambda entry: entry[:2],
        ):
            notes = [text.removeprefix(_COMMENT).strip() for text in comments]
            found.add(message, auto_comments=notes, context=context)
    for term in load_glossary().term:
        for text in (term.name, term.meaning):
            found.add(text, auto_comments=["of the glossary"])
    return found


def catalogue_path(language: str) -> Path:
    """Return the editable catalogue of a language."""
    return _ROOT / "resources" / "locale" / language / "LC_MESSAGES" / "domtune.po"


def update_catalogue(language: str, messages: Catalog) -> Catalog:
    """Return the catalogue of a language with exactly these messages.

    Args:
        language: Code of the language, for example `pt_BR`.
        messages: All messages of the program.
    """
    with catalogue_path(language).open("rb") as file:
        catalogue = read_po(file, locale=language)
    catalogue.update(messages, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    return catalogue


def list_untranslated(catalogue: Catalog) -> list[str]:
    """Return the messages that a catalogue does not translate."""
    lacking = []
    for message in catalogue:
        texts = message.string if isinstance(message.string, tuple | list) else (message.string,)
        if message.id and (message.fuzzy or not all(texts)):
            lacking.append(message.id[0] if isinstance(message.id, tuple | list) else message.id)
    return lacking


def _file_texts(catalogue: Catalog) -> tuple[bytes, bytes]:
    # Equal messages make equal files: Babel would write the time of the run.
    catalogue.creation_date = catalogue.revision_date = _NO_DATE
    catalogue.last_translator = catalogue.language_team = ""
    editable, compiled = io.BytesIO(), io.BytesIO()
    write_po(editable, catalogue, no_location=True, width=120)
    write_mo(compiled, catalogue)
    return editable.getvalue(), compiled.getvalue()


def main() -> int:
    """Write, or check, the catalogue of each language but English."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a catalogue is old or incomplete")
    check = parser.parse_args().check
    messages, failed = collect_messages(), False
    for language in LANGUAGES:
        if language == "en":
            continue
        catalogue = update_catalogue(language, messages)
        path = catalogue_path(language)
        for file, content in zip((path, path.with_suffix(".mo")), _file_texts(catalogue), strict=True):
            old = not file.exists() or file.read_bytes() != content
            failed |= old and check
            if old and not check:
                file.write_bytes(content)
            print(f"{file.relative_to(_ROOT)}: {('is old' if check else 'written') if old else 'unchanged'}")
        lacking = list_untranslated(catalogue)
        failed |= bool(lacking) and check
        print(f"{language}: {len(catalogue)} messages, {len(lacking)} without a translation")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
