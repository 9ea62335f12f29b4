"""Command and pattern of a plan: their checks. No shell reads the command."""

import re
import shlex
from collections.abc import Mapping

from scheduler.children import find_program
from scheduler.errors import LoadError, SpecError
from scheduler.loads.command.line_figures import ALL_GROUPS, AMOUNT_GROUPS
from scheduler.model.parameters import ParameterValue
from scheduler.translation import _

_HINT = (
    "Name one group: 'tps: (?P<rate>[0-9.,]+)', (?P<count>...) for operations since the line before, or (?P<total>...) "
    "for a running total. Leave the pattern out to have known programs recognised."
)


def split_command(values: Mapping[str, ParameterValue], places: Mapping[str, str]) -> tuple[str, ...]:
    """Return the program's absolute path and its arguments.

    Args:
        values: Parameters of the load.
        places: Placeholder without braces to its text: `users` for `{users}`.

    Raises:
        SpecError: The command is empty, not readable, or relative to a folder.
        LoadError: The program does not exist.
    """
    text = str(values["command"])
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise SpecError(
            "load.command", _("cannot be read: {error}").format(error=error), hint=_("Are all quotes closed?")
        ) from error
    if not words:
        hint = _('Write it as in a terminal: command = "pgbench -T 100000 -P 1 mine". No shell reads it.')
        raise SpecError("load.command", _("none given"), hint=hint)
    return (_program_path(words[0]), *(_fill_placeholders(word, places) for word in words[1:]))


def check_pattern(values: Mapping[str, ParameterValue]) -> str:
    """Return the pattern of a plan; empty to recognise lines without a pattern.

    Raises:
        SpecError: The pattern is no regular expression, or has not exactly one group for the rate.
    """
    text = str(values["pattern"])
    if not text:
        return ""
    try:
        pattern = re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise SpecError(
            "load.pattern", _("{text!r} is no pattern: {error}").format(text=text, error=error), hint=_HINT
        ) from error
    groups = set(pattern.groupindex)
    if len(groups & AMOUNT_GROUPS) != 1 or groups - ALL_GROUPS:
        found = ", ".join(sorted(groups)) or "none"
        raise SpecError(
            "load.pattern",
            _("its named groups are {found}, not one of rate, count and total (with errors, latency_ms)").format(
                found=found
            ),
            hint=_HINT,
        )
    return text


def _program_path(program: str) -> str:
    """Return the program's absolute path; never use the current folder."""
    if "/" in program and not program.startswith("/"):
        raise SpecError(
            "load.command",
            _("{program!r} is relative to a folder").format(program=program),
            hint=_("Write its whole path."),
        )
    found = find_program(program)
    if not found:
        raise LoadError(
            _("the command's program {program!r} is not there").format(program=program),
            hint=_("Install it, or write its whole path."),
        )
    return found


def _fill_placeholders(word: str, places: Mapping[str, str]) -> str:
    for name, value in places.items():
        word = word.replace(f"{{{name}}}", value)
    return word
