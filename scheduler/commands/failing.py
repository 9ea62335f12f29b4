"""Saying what went wrong: words on standard error and, where JSON was asked for, one object on standard output."""

import argparse
import sys
from types import ModuleType

import msgspec

from scheduler.commands.answers import print_json
from scheduler.errors import SchedulerError
from scheduler.model.plain import plain
from scheduler.model.probe import Refused


def say(error: SchedulerError) -> None:
    """Say it to people."""
    print(f"domtune: {plain(str(error))}", file=sys.stderr)
    if error.hint:
        print(f"  {plain(error.hint)}", file=sys.stderr)


def answer(arguments: argparse.Namespace, error: SchedulerError, module: ModuleType | None) -> None:
    """Print the word's object for an error, its own where it has one, if JSON was asked for.

    Args:
        arguments: Of the command line.
        error: What ended the word.
        module: The word's; its `refused(arguments, error)` is the object. None where the word was not begun.
    """
    if not getattr(arguments, "json", False):
        return
    own = getattr(module, "refused", None)
    told: msgspec.Struct = own(arguments, error) if own else Refused(error=str(error), hint=error.hint)
    print_json(told)
