"""Glossary: terms with their meanings, and the words that each term replaces.

Source: `resources/glossary.toml`. The reference page, the window's tooltips and the lint are made from it.
"""

import tomllib
from functools import lru_cache
from importlib.resources import files

import msgspec

MOST_MEANING_LETTERS = 240  # fits a tooltip


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One term.

    Attributes:
        key: Name in the source code.
        name: The term, as it is written within a sentence.
        meaning: One or two sentences, at most 240 characters.
        retired: Words that the term replaces.
        senses: Words that the term replaces in this meaning only.
    """

    key: str
    name: str
    meaning: str
    retired: tuple[str, ...] = ()
    senses: tuple[str, ...] = ()


class StyleRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words to avoid that are no terms.

    Attributes:
        retired: The words.
        use: Words to write.
    """

    retired: tuple[str, ...]
    use: str


class Glossary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All terms and rules.

    Attributes:
        term: The terms, in the order of the file.
        style: Words to avoid that are no terms.
    """

    term: tuple[Term, ...]
    style: tuple[StyleRule, ...]


@lru_cache(maxsize=1)
def load_glossary() -> Glossary:
    """Return the glossary."""
    text = files("resources").joinpath("glossary.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Glossary)


def find_term(key: str) -> Term:
    """Return a term by its key; raise KeyError for an unknown key."""
    return {term.key: term for term in load_glossary().term}[key]
