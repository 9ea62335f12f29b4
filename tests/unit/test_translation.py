"""Translations: the choice of the language, and catalogues whose texts can be filled in."""

import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from scheduler import translation
from scheduler.translation import LANGUAGE_VARIABLE, LANGUAGES, choose_language, find_language, ngettext

LOCALE = Path(__file__).resolve().parent.parent.parent / "resources" / "locale"
TRANSLATED = [code for code in LANGUAGES if code != "en"]


@pytest.fixture
def portuguese(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(LANGUAGE_VARIABLE, "en")
    choose_language("pt_BR")
    yield
    choose_language("en")


def _texts(entry: str | list[str] | tuple[str, ...]) -> list[str]:
    return [entry] if isinstance(entry, str) else list(entry)


def _fields(text: str) -> list[tuple[str, str, str]]:
    parts = string.Formatter().parse(text)
    return sorted((name, spec or "", conversion or "") for _, name, spec, conversion in parts if name is not None)


def _catalogue(code: str) -> Catalog:
    with (LOCALE / code / "LC_MESSAGES" / "domtune.po").open("rb") as file:
        return read_po(file, locale=code)


def _translations(catalogue: Catalog) -> dict[str, list[str]]:
    return {_texts(message.id)[0]: _texts(message.string) for message in catalogue if message.id}


def _differs(message: Message) -> bool:
    """Return whether a translation loses or changes a placeholder, or the blanks at its ends."""
    sources, texts = _texts(message.id), _texts(message.string)
    return any(
        _fields(source) != _fields(text)
        or (source[:1].isspace(), source[-1:].isspace()) != (text[:1].isspace(), text[-1:].isspace())
        for source, text in zip([sources[0], *sources[1:] * len(texts)], texts, strict=False)
    )


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "pt_BR.UTF-8"}, "pt_BR"),
        ({"LANG": "pt_PT.UTF-8"}, "pt_BR"),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "pt_BR.UTF-8"}, "pt_BR"),
        ({"LANG": "pt_BR.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "pt_BR.UTF-8", LANGUAGE_VARIABLE: "en"}, "en"),
    ],
)
def test_language_of_an_environment_is_found(environment: dict[str, str], code: str) -> None:
    assert find_language(environment) == code


def test_messages_have_the_chosen_language_and_its_plural(portuguese: None) -> None:
    assert translation._("Settings") == "Ajustes"
    assert [ngettext("{n} user", "{n} users", n).format(n=n) for n in (1, 5)] == ["1 usuário", "5 usuários"]
    choose_language("en")
    assert translation._("Settings") == "Settings"


@pytest.mark.parametrize("code", TRANSLATED)
def test_translations_keep_the_placeholders_of_their_messages(code: str) -> None:
    assert [message.id for message in _catalogue(code) if message.id and _differs(message)] == []


@pytest.mark.parametrize("code", TRANSLATED)
def test_compiled_catalogue_equals_the_editable_one(code: str) -> None:
    with (LOCALE / code / "LC_MESSAGES" / "domtune.mo").open("rb") as file:
        compiled = _translations(read_mo(file))

    assert compiled == _translations(_catalogue(code))
