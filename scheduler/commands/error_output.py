"""Saying what went wrong: words on standard error and, where JSON was asked for, one object on standard output."""

import argparse
import sys
from types import ModuleType

import msgspec

from scheduler.commands.command_output import print_json
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import CommandRefusal, list_mistakes
from scheduler.model.terminal_text import replace_controls


def print_error(error: SchedulerError) -> None:
    """Say it to people."""
    print(f"domtune: {replace_controls(str(error))}", file=sys.stderr)
    if error.hint:
        print(f"  {replace_controls(error.hint)}", file=sys.stderr)


def print_error_answer(arguments: argparse.Namespace, error: SchedulerError, module: ModuleType | None) -> None:
    """Print the word's object for an error, its own where it has one, if JSON was asked for.

    Args:
        arguments: Of the command line.
        error: What ended the word.
        module: The word's; its `error_answer(arguments, error)` is the object. None where the word was not begun.
    """
    if not getattr(arguments, "json", False):
        return
    own = getattr(module, "error_answer", None)
    refusal = CommandRefusal(error=str(error), hint=error.hint, mistakes=list_mistakes(error))
    told: msgspec.Struct = own(arguments, error) if own else refusal
    print_json(told)
