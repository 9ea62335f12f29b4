"""Version of the rules and of the language by which results are derived."""

from scheduler.translation import LANGUAGES, read_language

_RULES = 7
"""Increase this with every change of the statistics or of `Results`: other stored results are derived again."""

RULES_VERSION = 10 * _RULES + list(LANGUAGES).index(read_language())
"""Version that stored results carry; the language was chosen before the import of this module."""
