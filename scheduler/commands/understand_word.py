"""`domtune understand`: what a pattern reads in a text, for the window; JSON in, JSON out, and no program is run."""

import argparse
import sys

import msgspec

from scheduler.commands.answers import print_json
from scheduler.commands.exits import Exit
from scheduler.errors import SchedulerError, SpecError
from scheduler.loads.command.reading import understood
from scheduler.model.understood import Printed, Understood

_MOST_BYTES = 4 << 20


def understand(_arguments: argparse.Namespace) -> int:
    """Answer; what cannot be understood is an answer, too."""
    try:
        print_json(understood(_asked()))
    except SchedulerError as error:
        print_json(Understood(error=str(error), hint=error.hint))
    return Exit.DONE


def _asked() -> Printed:
    if sys.stdin is None:  # Python's when it starts with it closed
        raise SpecError("standard input", "is closed")
    try:
        return msgspec.json.decode(sys.stdin.buffer.read(_MOST_BYTES), type=Printed)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SpecError("standard input", f"is no question of the window's: {error}") from error
