"""Commands as words: what programs are called with, and how people type the same."""

import shlex
from collections.abc import Sequence

Argv = tuple[str, ...]
"""A command and its words, as a list: nothing that a shell would read again."""


def format_command(argv: Sequence[str]) -> str:
    """Return a command as it can be typed."""
    return shlex.join(argv)
