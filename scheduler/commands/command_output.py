"""Output of answers: JSON for programs, text for people."""

import errno
import json
import re
import sys
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from scheduler.commands.exit_codes import ExitCode, exit_for_error
from scheduler.errors import SchedulerError
from scheduler.model.codec import encode_json
from scheduler.model.load_name import encode_name
from scheduler.model.terminal_text import replace_controls
from scheduler.translation import _

_Answer = TypeVar("_Answer", bound=msgspec.Struct)


def print_answer(
    act: Callable[[], _Answer],
    words: Callable[[_Answer], Iterable[str]],
    refused: Callable[[SchedulerError], _Answer],
    *,
    as_json: bool,
    code: Callable[[_Answer], ExitCode] = lambda _: ExitCode.DONE,
) -> ExitCode:
    """Carry out a command and print its answer; return the exit code.

    Args:
        act: Carries out the command and returns its answer; may raise SchedulerError.
        words: Returns the answer's lines for people.
        refused: Returns the answer that carries an error.
        as_json: True to print one object, also for an error; False to print lines, and to raise the error.
        code: Returns the exit code of an answer.
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
    return code(answer)


_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


class OutputLost(OSError):
    """Standard output is closed, its disk is full, or its reader has ended."""


def print_json(value: msgspec.Struct) -> None:
    """Print one object on one line.

    Raises:
        OutputLost: The line could not be written.
    """
    _write_lines([_json_text(value) + "\n"])


def _json_text(value: msgspec.Struct) -> str:
    """Return JSON that is valid UTF-8 (RFC 8259) in every encoding of the output."""
    try:
        text = encode_json(value).decode()
    except UnicodeEncodeError:  # a path that is not text
        text = json.dumps(msgspec.to_builtins(value, enc_hook=encode_name), separators=(",", ":"))
    if sys.stdout is not None and _is_utf8(sys.stdout.encoding):
        return text
    return _BEYOND_ASCII.sub(lambda letter: json.dumps(letter[0])[1:-1], text)


def _is_utf8(encoding: str | None) -> bool:
    return (encoding or "").lower().replace("-", "").replace("_", "") == "utf8"


def print_lines(*lines: str) -> None:
    """Print the lines that are not empty, without control characters for the terminal.

    Names in the lines come from plans and hosts.

    Raises:
        OutputLost: The lines could not be written.
    """
    _write_lines([replace_controls(line) + "\n" for line in lines if line])


def _write_lines(lines: Iterable[str]) -> None:
    if sys.stdout is None:  # None when Python starts with it closed
        raise OutputLost(errno.EBADF, _("standard output is closed"))
    try:
        sys.stdout.writelines(lines)
        sys.stdout.flush()
    except OSError as error:
        raise OutputLost(error.errno, _("standard output: {strerror}").format(strerror=error.strerror)) from error
