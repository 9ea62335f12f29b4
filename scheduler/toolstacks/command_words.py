"""Commands as lists of words, and as lines that a person can type."""

import shlex
from collections.abc import Sequence

Argv = tuple[str, ...]
"""A command and its words, as a list: nothing that a shell would read again."""


def format_command(argv: Sequence[str]) -> str:
    """Return a command as a line that can be typed into a shell."""
    return shlex.join(argv)
