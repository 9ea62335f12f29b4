"""`domtune understand`: parse a text by a pattern, for the window.

Input and output are JSON. No program is run.
"""

import argparse
import sys

import msgspec

from scheduler.commands.command_output import print_json
from scheduler.commands.exit_codes import ExitCode
from scheduler.errors import SchedulerError, SpecError
from scheduler.loads.command.pattern_preview import preview_text
from scheduler.model.pattern_preview import PatternPreview, PatternRequest
from scheduler.translation import _

_MOST_BYTES = 4 << 20


def understand(_arguments: argparse.Namespace) -> int:
    """Print the parsed text; an error is an answer as well."""
    try:
        print_json(preview_text(_read_question()))
    except SchedulerError as error:
        print_json(PatternPreview(error=str(error), hint=error.hint))
    return ExitCode.DONE


def _read_question() -> PatternRequest:
    if sys.stdin is None:  # None when Python starts with it closed
        raise SpecError(_("standard input"), _("is closed"))
    try:
        return msgspec.json.decode(sys.stdin.buffer.read(_MOST_BYTES), type=PatternRequest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SpecError(
            _("standard input"), _("is no question of the window's: {error}").format(error=error)
        ) from error
