"""Entry point of the command line: parse the arguments and carry out one command."""

import argparse
import codecs
import io
import json
import logging
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from keyword import iskeyword
from types import ModuleType

from scheduler import places
from scheduler.commands import error_output
from scheduler.commands.arguments import INTERNAL_COMMANDS, build_parser
from scheduler.commands.command_output import OutputLost
from scheduler.commands.delegated_scope import enter_scope
from scheduler.commands.exit_codes import ExitCode, exit_for_error
from scheduler.commands.memory_protection import protect_memory
from scheduler.errors import SchedulerError
from scheduler.log_file import LogFile
from scheduler.model.run_paths import is_run_path
from scheduler.model.terminal_text import replace_controls
from scheduler.translation import _

_LINE = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
_FILE_BYTES = 1_000_000
_FILES = 3


class PlainFormatter(logging.Formatter):
    """Log format: one line per message, without control characters.

    Messages contain names and texts of hosts.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - name given by logging
        """Return the message as one line; `format` adds a traceback."""
        record.message = record.message.replace("\n", " | ")
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line and its traceback, without control characters."""
        return replace_controls(super().format(record))


def log_to_file(*, verbose: bool) -> None:
    """Set up logging; continue without a log file, which no restore may depend on.

    Args:
        verbose: True to print informational messages to standard error as well.
    """
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    screen = logging.StreamHandler(sys.stderr)
    screen.setLevel(logging.INFO if verbose else logging.WARNING)
    screen.setFormatter(PlainFormatter("%(levelname)s: %(message)s"))
    screen.addFilter(
        lambda record: verbose or not record.exc_info
    )  # tracebacks go to the file; the command prints an error itself
    root.addHandler(screen)
    path = places.log_path()
    try:
        file = LogFile(path, _FILE_BYTES, _FILES)
    except OSError as error:
        root.warning("no log is kept in %s: %s", path, error)
        return
    file.setFormatter(PlainFormatter(_LINE))
    root.addHandler(file)
    logging.raiseExceptions = False  # a full disk must not print tracebacks


_HANDLER = "domtune"
_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF  # PEP 383: a byte of a file name that is not text
_OFFSET = 0xDC00


def accept_any_text() -> None:
    """Write characters outside an output stream's encoding as JSON escapes.

    A byte of a file name that is not text is written unchanged.
    """
    codecs.register_error(_HANDLER, _escape_character)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None when Python starts with it closed
            stream.reconfigure(errors=_HANDLER)


def _escape_character(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letter = error.object[error.start]
    if _FIRST_BYTE <= ord(letter) <= _LAST_BYTE:
        return bytes([ord(letter) - _OFFSET]), error.start + 1
    return json.dumps(letter)[1:-1], error.start + 1


log = logging.getLogger(__name__)

_RESTORE_COMMANDS = frozenset({"restore", "revert"})  # after an early stop, the host is still changed


def main(argv: Sequence[str]) -> int:
    """Carry out one command; return the exit code."""
    accept_any_text()
    arguments = _parse_arguments(argv)
    log_to_file(verbose=arguments.verbose)
    try:
        return _run_command(arguments, argv)
    except (OutputLost, BrokenPipeError) as error:  # the reader of standard output has ended, or its disk is full
        return _report_lost_output(arguments.word, error)


def _run_command(arguments: argparse.Namespace, argv: Sequence[str]) -> int:
    try:
        enter_scope(arguments, argv)
        protect_memory(arguments.word)
        return int(_command_function(arguments.word)(arguments))
    except SchedulerError as error:
        error_output.print_error(error)
        error_output.print_error_answer(arguments, error, _import_command(arguments.word))
        return int(exit_for_error(error))
    except (OutputLost, BrokenPipeError):
        raise
    except KeyboardInterrupt:
        error_output.print_error_answer(arguments, SchedulerError(_("stopped by the user")), None)
        return int(ExitCode.NOT_RESTORED if arguments.word in _RESTORE_COMMANDS else ExitCode.ABORTED)
    except Exception as error:  # noqa: BLE001 - the last resort: no user sees a traceback
        return int(_report_bug(arguments, error))


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    _refuse_undecodable(argv)
    try:
        argv = ["import", *argv] if argv and all(map(is_run_path, argv)) else argv
        internal = next((text for text in argv if not text.startswith("-")), "") in INTERNAL_COMMANDS
        return build_parser(internal=internal).parse_args(argv)
    except SystemExit as end:
        if end.code and "--json" in argv:  # argparse printed the reason on standard error
            reported = SchedulerError(
                _("the command line cannot be read"), hint=_("'domtune COMMAND --help' shows the options.")
            )
            error_output.print_error_answer(argparse.Namespace(json=True), reported, None)
        raise


def _refuse_undecodable(argv: Sequence[str]) -> None:
    """Raise SystemExit for arguments that are not UTF-8.

    No answer, store or plan could repeat such an argument.
    """
    odd = next((number for number, word in enumerate(argv, 1) if not _is_utf8(word)), 0)
    if odd:
        hint = _("Type it in UTF-8, or give a domain by its UUID.")
        reported = SchedulerError(
            _("argument {odd} is not UTF-8: {argv!a}").format(odd=odd, argv=argv[odd - 1]), hint=hint
        )
        error_output.print_error(reported)
        error_output.print_error_answer(argparse.Namespace(json="--json" in argv), reported, None)
        raise SystemExit(int(ExitCode.BAD_INPUT))


def _is_utf8(word: str) -> bool:
    """Return True when an argument is text.

    Python keeps any other byte as half of a surrogate pair (PEP 383).
    """
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _report_bug(arguments: argparse.Namespace, error: Exception) -> ExitCode:
    """Print where a bug was logged, but not its text, which may hold secrets.

    Return the exit code.
    """
    log.critical(_("a bug ended 'domtune %s'"), arguments.word, exc_info=error)
    due = _is_restore_pending()
    text, hint = _explain_error(arguments.word, error)
    reported = SchedulerError(text, hint=_("A host may still be changed: run 'domtune restore'.") if due else hint)
    error_output.print_error(reported)
    error_output.print_error_answer(arguments, reported, None)
    return ExitCode.NOT_RESTORED if due else ExitCode.FAILED


def _explain_error(word: str, error: Exception) -> tuple[str, str]:
    """Return a sentence and a hint for an error that no command handled.

    A file of another account is not a bug.
    """
    if isinstance(error, PermissionError) and error.filename:
        hint = _("Another account owns the file or a folder above it. Is DOMTUNE_HOME another account's?")
        return _("'{word}' may not use {filename!s}: {strerror}").format(
            word=word, filename=error.filename, strerror=error.strerror
        ), hint
    return _("a bug ended '{word}': {error}; it is in {log_path}").format(
        word=word, error=type(error).__name__, log_path=places.log_path()
    ), ""


def _is_restore_pending() -> bool:
    """Return True when a restore is pending without a sweep, or when unknown."""
    try:
        return not _import_restores().list_pending().clean
    except Exception:
        log.warning("the undo records could not be looked at", exc_info=True)
        return True


def _import_restores() -> ModuleType:
    return import_module("scheduler.commands.pending_restores")


def _report_lost_output(word: str, error: OSError) -> int:
    """Print that the answer was not written; keep Python from retrying at exit."""
    sys.stdout = None
    if not isinstance(error.__cause__ or error, BrokenPipeError):
        error_output.print_error(
            SchedulerError(_("the answer of '{word}' could not be printed: {error}").format(word=word, error=error))
        )
    return int(ExitCode.FAILED)


def _command_function(word: str) -> Callable[[argparse.Namespace], int]:
    name = word.replace("-", "_")
    return getattr(_import_command(word), f"{name}_" if iskeyword(name) else name)


def _import_command(word: str) -> ModuleType:
    """Import only the module of a command: `restore` must not wait for numpy."""
    name = word.replace("-", "_")
    module = name if name.startswith("check_") else f"{name}_command"
    return import_module("labs.lab_command" if name == "lab" else f"scheduler.commands.{module}")
