"""Glossary in the user's language, for tooltips and the glossary of the window."""

from scheduler.model.glossary import find_term, load_glossary
from scheduler.translation import _

GLOSSARY: tuple[str, ...] = tuple(term.key for term in load_glossary().term)
"""Keys of all terms."""


def glossary_term(key: str) -> tuple[str, str]:
    """Return a term, with a capital letter, and its meaning in the user's language.

    Raises:
        KeyError: The glossary has no such entry.
    """
    term = find_term(key)
    name = _(term.name)
    return name[:1].upper() + name[1:], _(term.meaning)
