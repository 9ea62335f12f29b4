"""Text that a terminal shows and never obeys: names of plans, hosts and guests come from others."""

import re

# C0 without tab and line end, DEL, C1, and what turns the direction of writing round (Unicode, UAX 9).
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """Return the text with everything that a terminal would obey replaced by '?'."""
    return _OBEYED.sub("?", text)


def cell(text: str) -> str:
    """Return the same on one line."""
    return " ".join(plain(text).split())
