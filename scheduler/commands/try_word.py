"""`domtune try PLAN`: run the plan's own command for some seconds, and say line by line what is understood."""

import argparse
import sys
from collections.abc import Mapping

from scheduler.commands.agreement import commands_of, refuse_unseen
from scheduler.commands.answers import print_json, print_lines
from scheduler.commands.exits import Exit
from scheduler.commands.plans import named_plan
from scheduler.databases.registry import open_database, own_password
from scheduler.errors import SchedulerError, SpecError
from scheduler.loads.command.engine import CommandScript
from scheduler.loads.command.reading import tried
from scheduler.loads.orders import Begin
from scheduler.model.consent import Consent
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import KINDS
from scheduler.model.number_texts import short
from scheduler.model.plain import plain
from scheduler.model.spec import RunSpec
from scheduler.model.understood import LineRead, Understood
from scheduler.model.words import rate

LEAST_S, MOST_S = 1, 600
_UNGIVEN = "no database runs in a dry run; where the command needs one, name it in the plan (database = '...')"


def try_(arguments: argparse.Namespace) -> int:
    """Run the command and print what is understood; every line as it comes, or one object."""
    if not LEAST_S <= arguments.seconds <= MOST_S:
        hint = f"Use a value from {LEAST_S} to {MOST_S}."
        raise SpecError("--seconds", f"{arguments.seconds} is outside {LEAST_S}..{MOST_S}", hint=hint)
    spec = named_plan(arguments.plan)
    load = _own(spec)
    refuse_unseen(spec, Consent(commands=arguments.allow_command))
    for command in commands_of(spec):
        print(plain(f"By the plan, {command}."), file=sys.stderr)
    if not load.url:
        print(_UNGIVEN, file=sys.stderr)
    unit = load.unit

    def tell(line: LineRead) -> None:
        if not arguments.json:
            print_lines(line_words(line, unit))

    secret = own_password(load.url) if load.url and arguments.allow_password else ""
    found = tried(_script(spec, load, secret), arguments.seconds, unit, tell)
    if arguments.json:
        print_json(found)
    else:
        print_lines(*_summary(found))
    return Exit.DONE if found.counted and not found.ended and not found.problem else Exit.FAILED


def refused(_arguments: argparse.Namespace, error: SchedulerError) -> Understood:
    """Return the object for a command that was never run."""
    return Understood(error=str(error), hint=error.hint)


def line_words(line: LineRead, unit: str) -> str:
    """Return a line and what is understood of it."""
    return f"{line.at_s:6.2f} s  {_figures(line, unit):40}  {line.text}"


def _figures(line: LineRead, unit: str) -> str:
    if line.figure is None:
        return f"ignored: {line.problem}" if line.problem else "ignored"
    figure = f"{short(line.figure)} since the line before" if line.counts else rate(line.figure, unit=unit)
    times = [f"{name} {short(time_ms)} ms" for name, time_ms in line.times_ms.items()]
    errors = [f"{line.errors} errors"] if line.errors else []
    return ", ".join([figure, *times, *errors])


def _summary(found: Understood) -> list[str]:
    counted = found.counted
    figures = [line.figure or 0.0 for line in counted if not line.counts]
    mean = f", {rate(sum(figures) / len(figures), unit=found.unit)} on average" if figures else ""
    lines = [f"{len(counted)} of {len(found.lines)} lines counted{mean}"]
    lines += [f"read by {source}" for source in dict.fromkeys(line.source for line in counted)]
    if found.problem:
        lines.append(f"a sweep would refuse this: {found.problem}")
    elif not counted:
        lines.append("nothing was understood: does the pattern suit what the program prints, a line at a time?")
    return [*lines, f"{found.ended}: in a sweep it must run until it is ended" if found.ended else ""]


def _own(spec: RunSpec) -> LoadSpec:
    for load in spec.loads:
        if KINDS[load.kind].runs:
            return load
    hint = "This word tries a [[load]] of kind 'command'; domtune run PLAN --dry-run looks at the others."
    raise SpecError("load", "the plan has no command of yours", hint=hint)


def _script(spec: RunSpec, load: LoadSpec, secret: str) -> CommandScript:
    params: Mapping[str, str] = open_database(load.url, secret).params if load.url else {}
    begin = Begin(params, load.kind, load.tuples, spec.seed, 0, (), load.values, load.engine)
    return CommandScript(begin, load.users)
