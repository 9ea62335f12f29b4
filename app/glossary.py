"""Glossary in the user's language, for tooltips and the glossary of the window."""

from PySide6.QtCore import QCoreApplication

from scheduler.model.glossary import find_term, load_glossary

GLOSSARY: tuple[str, ...] = tuple(term.key for term in load_glossary().term)
"""Keys of all terms."""


def glossary_term(key: str) -> tuple[str, str]:
    """Return a term, with a capital letter, and its meaning in the user's language.

    Raises:
        KeyError: The glossary has no such entry.
    """
    term = find_term(key)
    name = QCoreApplication.translate("glossary", term.name)
    return name[:1].upper() + name[1:], QCoreApplication.translate("glossary", term.meaning)
