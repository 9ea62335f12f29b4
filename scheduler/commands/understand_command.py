"""`domtune understand`: what a pattern reads in a text, for the window; JSON in, JSON out, and no program is run."""

import argparse
import sys

import msgspec

from scheduler.commands.command_output import print_json
from scheduler.commands.exit_codes import ExitCode
from scheduler.errors import SchedulerError, SpecError
from scheduler.loads.command.pattern_preview import preview_text
from scheduler.model.pattern_preview import PatternPreview, PatternRequest

_MOST_BYTES = 4 << 20


def understand(_arguments: argparse.Namespace) -> int:
    """Answer; what cannot be understood is an answer, too."""
    try:
        print_json(preview_text(_read_question()))
    except SchedulerError as error:
        print_json(PatternPreview(error=str(error), hint=error.hint))
    return ExitCode.DONE


def _read_question() -> PatternRequest:
    if sys.stdin is None:  # Python's when it starts with it closed
        raise SpecError("standard input", "is closed")
    try:
        return msgspec.json.decode(sys.stdin.buffer.read(_MOST_BYTES), type=PatternRequest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SpecError("standard input", f"is no question of the window's: {error}") from error
