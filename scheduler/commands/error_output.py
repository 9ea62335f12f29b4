"""Output of errors: text on standard error and, for `--json`, an object."""

import argparse
import sys
from types import ModuleType

import msgspec

from scheduler.commands.command_output import print_json
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import CommandRefusal, list_mistakes
from scheduler.model.terminal_text import replace_controls


def print_error(error: SchedulerError) -> None:
    """Print an error for people."""
    print(f"domtune: {replace_controls(str(error))}", file=sys.stderr)
    if error.hint:
        print(f"  {replace_controls(error.hint)}", file=sys.stderr)


def print_error_answer(arguments: argparse.Namespace, error: SchedulerError, module: ModuleType | None) -> None:
    """Print a command's object for an error, when `--json` was given.

    Args:
        arguments: The parsed command line.
        error: Error that ended the command.
        module: Module of the command; its `error_answer(arguments, error)` returns the object. None before the command
            began.
    """
    if not getattr(arguments, "json", False):
        return
    own = getattr(module, "error_answer", None)
    refusal = CommandRefusal(error=str(error), hint=error.hint, mistakes=list_mistakes(error))
    reported: msgspec.Struct = own(arguments, error) if own else refusal
    print_json(reported)
