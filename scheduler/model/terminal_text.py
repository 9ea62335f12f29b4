"""Text that terminals and the window show and never obey: names of plans, hosts and guests come from others."""

import re

# C0 without tab and line end, DEL, C1 (also as bytes of a file's name that are no text), and what turns the direction
# of writing round (Unicode, UAX 9).
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udc9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def replace_controls(text: str) -> str:
    """Replace by '?' everything that a terminal would obey, or that turns the direction of writing round."""
    return _OBEYED.sub("?", text)


def to_single_line(text: str) -> str:
    """Return the same on one line."""
    return " ".join(replace_controls(text).split())
