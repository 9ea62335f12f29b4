"""Translation of the texts of window and core by GNU gettext.

A program chooses its language once, before it imports the modules with its texts: many texts are constants of modules.
Machine formats (plan files, JSON, commands to hosts, the log) are not translated.
"""

import gettext
import os
from collections.abc import Mapping

LANGUAGES: Mapping[str, str] = {"en": "English", "pt_BR": "Português (Brasil)"}
"""Code of each language to its own name."""

LANGUAGE_VARIABLE = "DOMTUNE_LANGUAGE"
"""Environment variable that names the language, also for child processes."""

_VARIABLES = (LANGUAGE_VARIABLE, "LC_ALL", "LC_MESSAGES", "LANG")
_DOMAIN = "domtune"
_catalogue = gettext.NullTranslations()


def find_language(environment: Mapping[str, str]) -> str:
    """Return the code of the language of an environment; English for an unknown one.

    As in POSIX, `LC_ALL` comes before `LC_MESSAGES` and `LANG`.
    """
    for name in _VARIABLES:
        wanted = environment.get(name, "").partition(".")[0]
        if wanted:
            return next((code for code in LANGUAGES if code[:2] == wanted[:2]), "en")
    return "en"


def read_language() -> str:
    """Return the code of the language that the environment of this process asks for."""
    return find_language({name: os.environ.get(name, "") for name in _VARIABLES})


def language_tag() -> str:
    """Return the language of this process as in HTML (BCP 47), for example `pt-BR`."""
    return read_language().replace("_", "-")


def choose_language(code: str) -> None:
    """Use a language for all texts from now on, also in child processes.

    Args:
        code: A key of `LANGUAGES`.
    """
    global _catalogue  # noqa: PLW0603 - a process has one language
    os.environ[LANGUAGE_VARIABLE] = code
    _catalogue = _read_catalogue(code)


def _(message: str) -> str:
    """Return a message in the chosen language."""
    return _catalogue.gettext(message)


def ngettext(singular: str, plural: str, number: float) -> str:
    """Return the form of a message that suits a number.

    Args:
        singular: Message for one.
        plural: Message for other numbers.
        number: The number; a fraction takes the plural.
    """
    return _catalogue.ngettext(singular, plural, int(number) if number == int(number) else 2)


def _read_catalogue(code: str) -> gettext.NullTranslations:
    if code == "en":
        return gettext.NullTranslations()
    from importlib import resources

    path = resources.files("resources") / "locale" / code / "LC_MESSAGES" / f"{_DOMAIN}.mo"
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)


_catalogue = _read_catalogue(read_language())
