"""Text from others without control characters, for terminals and the window.

Names of plans, hosts and guests come from other people and programs.
"""

import re

# C0 without tab and line end, DEL, C1 (also as undecodable bytes of a file's name), and the marks of writing direction
# (Unicode, UAX 9).
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udc9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def replace_controls(text: str) -> str:
    """Replace control characters and marks of writing direction by '?'."""
    return _OBEYED.sub("?", text)


def to_single_line(text: str) -> str:
    """Return the text on one line, without control characters."""
    return " ".join(replace_controls(text).split())
