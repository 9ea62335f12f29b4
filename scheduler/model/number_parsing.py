"""Numbers that somebody else printed, read within limits.

Python's `int` and `float` take more than any tool prints on purpose: digits of every script, blanks, `1_000`, `nan`,
and texts of any length, the longest of which they refuse with an error of their own. Here a text is a number in
ASCII, of a bounded length, finite and within its range; or it is none.
"""

import re

MOST_WHOLE = 2**63 - 1  # what fits the integers of the tools that print them

_WHOLE = re.compile(r"-?[0-9]{1,20}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,3})?")


def parse_whole_number(text: str, least: int = 0, most: int = MOST_WHOLE) -> int | None:
    """Return a whole number; None when the text is none, or lies outside `least`..`most` (both included)."""
    if _WHOLE.fullmatch(text) is None:
        return None
    found = int(text)
    return found if least <= found <= most else None


def parse_decimal(text: str, least: float = -1e300, most: float = 1e300) -> float | None:
    """Return a finite number; None when the text is none, or lies outside `least`..`most` (both included)."""
    if _DECIMAL.fullmatch(text) is None:
        return None
    found = float(text)
    return found if least <= found <= most else None
