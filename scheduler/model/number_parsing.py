"""Bounded parsing of numbers that other programs print.

Python's `int` and `float` accept more than any tool prints: digits of every script, blanks, `1_000`, `nan`, and texts
of any length. They refuse the longest texts with an error of their own. Here a number is ASCII text of limited length,
finite and within its range.
"""

import re

MOST_WHOLE = 2**63 - 1  # largest integer of the tools that print them

_WHOLE = re.compile(r"-?[0-9]{1,20}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,3})?")


def parse_whole_number(text: str, least: int = 0, most: int = MOST_WHOLE) -> int | None:
    """Return a whole number; None for other text, or outside the range.

    Args:
        text: The text.
        least: Smallest allowed number, included.
        most: Largest allowed number, included.
    """
    if _WHOLE.fullmatch(text) is None:
        return None
    found = int(text)
    return found if least <= found <= most else None


def parse_decimal(text: str, least: float = -1e300, most: float = 1e300) -> float | None:
    """Return a finite number; None for other text, or outside the range.

    Args:
        text: The text.
        least: Smallest allowed number, included.
        most: Largest allowed number, included.
    """
    if _DECIMAL.fullmatch(text) is None:
        return None
    found = float(text)
    return found if least <= found <= most else None
