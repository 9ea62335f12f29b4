"""`domtune try PLAN`: run a plan's command briefly and show the parsed lines."""

import argparse
import sys
from collections.abc import Mapping

from scheduler.commands.code_consent import code_sentences, require_consent
from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.plan_argument import read_named_plan
from scheduler.databases.database_registry import open_database, own_password
from scheduler.errors import SchedulerError, SpecError
from scheduler.loads.command.command_engine import CommandScript
from scheduler.loads.command.pattern_preview import try_command
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.consent import Consent
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.number_texts import format_short
from scheduler.model.pattern_preview import ParsedLine, PatternPreview
from scheduler.model.sentence_texts import format_load_rate
from scheduler.model.spec import RunSpec
from scheduler.model.terminal_text import replace_controls

LEAST_S, MOST_S = 1, 600
_UNGIVEN = "no database runs in a dry run; where the command needs one, name it in the plan (database = '...')"


def try_(arguments: argparse.Namespace) -> int:
    """Run the command and print each parsed line, or one object."""
    if not LEAST_S <= arguments.seconds <= MOST_S:
        hint = f"Use a value from {LEAST_S} to {MOST_S}."
        raise SpecError("--seconds", f"{arguments.seconds} is outside {LEAST_S}..{MOST_S}", hint=hint)
    spec = read_named_plan(arguments.plan)
    load = _find_own_command(spec)
    require_consent(spec, Consent(commands=arguments.allow_command))
    for command in code_sentences(spec):
        print(replace_controls(f"By the plan, {command}."), file=sys.stderr)
    if not load.url:
        print(_UNGIVEN, file=sys.stderr)
    unit = load.unit

    def tell(line: ParsedLine) -> None:
        if not arguments.json:
            print_lines(line_words(line, unit))

    secret = own_password(load.url) if load.url and arguments.allow_password else ""
    found = try_command(_make_script(spec, load, secret), arguments.seconds, unit, tell)
    if arguments.json:
        print_json(found)
    else:
        print_lines(*_summary_lines(found))
    return ExitCode.DONE if found.counted and not found.ended and not found.problem else ExitCode.FAILED


def error_answer(_arguments: argparse.Namespace, error: SchedulerError) -> PatternPreview:
    """Return the object for a command that was not run.

    Args:
        _arguments: The parsed command line.
        error: The error.
    """
    return PatternPreview(error=str(error), hint=error.hint)


def line_words(line: ParsedLine, unit: str) -> str:
    """Return a line of output and its parsed figures as text.

    Args:
        line: The line.
        unit: Unit of its rates.
    """
    return f"{line.at_s:6.2f} s  {_figure_words(line, unit):40}  {line.text}"


def _figure_words(line: ParsedLine, unit: str) -> str:
    if line.figure is None:
        return f"ignored: {line.problem}" if line.problem else "ignored"
    figure = (
        f"{format_short(line.figure)} since the line before"
        if line.counts
        else format_load_rate(line.figure, unit=unit)
    )
    times = [f"{name} {format_short(time_ms)} ms" for name, time_ms in line.times_ms.items()]
    errors = [f"{line.errors} errors"] if line.errors else []
    return ", ".join([figure, *times, *errors])


def _summary_lines(found: PatternPreview) -> list[str]:
    counted = found.counted
    figures = [line.figure or 0.0 for line in counted if not line.counts]
    mean = f", {format_load_rate(sum(figures) / len(figures), unit=found.unit)} on average" if figures else ""
    lines = [f"{len(counted)} of {len(found.lines)} lines counted{mean}"]
    lines += [f"read by {source}" for source in dict.fromkeys(line.source for line in counted)]
    if found.problem:
        lines.append(f"a sweep would refuse this: {found.problem}")
    elif not counted:
        lines.append("the pattern matches no line of the output; check the pattern against one line")
    return [*lines, f"{found.ended}: in a sweep the program must run until DomTune stops it" if found.ended else ""]


def _find_own_command(spec: RunSpec) -> LoadSpec:
    for load in spec.loads:
        if LOAD_KINDS[load.kind].runs:
            return load
    hint = "This word tries a [[load]] of kind 'command'; domtune run PLAN --dry-run looks at the others."
    raise SpecError("load", "the plan has no command of yours", hint=hint)


def _make_script(spec: RunSpec, load: LoadSpec, secret: str) -> CommandScript:
    params: Mapping[str, str] = open_database(load.url, secret).params if load.url else {}
    begin = BeginOrder(params, load.kind, load.tuples, spec.seed, 0, (), load.values, load.dialect)
    return CommandScript(begin, load.users)
