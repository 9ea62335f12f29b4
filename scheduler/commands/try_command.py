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
from scheduler.translation import _

LEAST_S, MOST_S = 1, 600
_UNGIVEN = _("no database runs in a dry run; where the command needs one, name it in the plan (database = '...')")


def try_(arguments: argparse.Namespace) -> int:
    """Run the command and print each parsed line, or one object."""
    if not LEAST_S <= arguments.seconds <= MOST_S:
        hint = _("Use a value from {least_s} to {most_s}.").format(least_s=LEAST_S, most_s=MOST_S)
        raise SpecError(
            "--seconds",
            _("{seconds} is outside {least_s}..{most_s}").format(
                seconds=arguments.seconds, least_s=LEAST_S, most_s=MOST_S
            ),
            hint=hint,
        )
    spec = read_named_plan(arguments.plan)
    load = _find_own_command(spec)
    require_consent(spec, Consent(commands=arguments.allow_command))
    for command in code_sentences(spec):
        print(replace_controls(_("By the plan, {command}.").format(command=command)), file=sys.stderr)
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
        return _("ignored: {problem}").format(problem=line.problem) if line.problem else "ignored"
    figure = (
        _("{figure} since the line before").format(figure=format_short(line.figure))
        if line.counts
        else format_load_rate(line.figure, unit=unit)
    )
    times = [
        _("{name} {time_ms} ms").format(name=name, time_ms=format_short(time_ms))
        for name, time_ms in line.times_ms.items()
    ]
    errors = [_("{errors} errors").format(errors=line.errors)] if line.errors else []
    return ", ".join([figure, *times, *errors])


def _summary_lines(found: PatternPreview) -> list[str]:
    counted = found.counted
    figures = [line.figure or 0.0 for line in counted if not line.counts]
    mean = (
        _(", {figures} on average").format(figures=format_load_rate(sum(figures) / len(figures), unit=found.unit))
        if figures
        else ""
    )
    lines = [
        _("{count} of {count_2} lines counted{mean}").format(count=len(counted), count_2=len(found.lines), mean=mean)
    ]
    lines += [_("read by {source}").format(source=source) for source in dict.fromkeys(line.source for line in counted)]
    if found.problem:
        lines.append(_("a sweep would refuse this: {problem}").format(problem=found.problem))
    elif not counted:
        lines.append(_("the pattern matches no line of the output; check the pattern against one line"))
    return [
        *lines,
        _("{ended}: in a sweep the program must run until DomTune stops it").format(ended=found.ended)
        if found.ended
        else "",
    ]


def _find_own_command(spec: RunSpec) -> LoadSpec:
    for load in spec.loads:
        if LOAD_KINDS[load.kind].runs:
            return load
    hint = _("This word tries a [[load]] of kind 'command'; domtune run PLAN --dry-run looks at the others.")
    raise SpecError("load", _("the plan has no command of yours"), hint=hint)


def _make_script(spec: RunSpec, load: LoadSpec, secret: str) -> CommandScript:
    params: Mapping[str, str] = open_database(load.url, secret).params if load.url else {}
    begin = BeginOrder(params, load.kind, load.tuples, spec.seed, 0, (), load.values, load.dialect)
    return CommandScript(begin, load.users)
