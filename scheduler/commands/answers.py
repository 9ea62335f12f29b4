"""Printing an answer: JSON for machines, words for people."""

import sys
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from scheduler.commands.exits import Exit, exit_for_error
from scheduler.errors import SchedulerError

_Answer = TypeVar("_Answer", bound=msgspec.Struct)


def answered(
    act: Callable[[], _Answer],
    words: Callable[[_Answer], Iterable[str]],
    refused: Callable[[SchedulerError], _Answer],
    *,
    as_json: bool,
) -> Exit:
    """Do it and print the answer; return the exit code.

    Args:
        act: What the command does; its SchedulerError is the answer too where JSON is asked for, and raised otherwise.
        words: The answer's lines for people.
        refused: The answer that carries an error.
        as_json: Print one object instead of lines.
    """
    try:
        answer = act()
    except SchedulerError as error:
        if not as_json:
            raise
        print_json(refused(error))
        return exit_for_error(error)
    if as_json:
        print_json(answer)
    else:
        print_lines(*words(answer))
    return Exit.DONE


def print_json(value: msgspec.Struct) -> None:
    """Print one object on one line."""
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
    sys.stdout.flush()


def print_lines(*lines: str) -> None:
    """Print the lines that are not empty."""
    sys.stdout.writelines(line + "\n" for line in lines if line)
    sys.stdout.flush()
