"""`domtune run PLAN`: a sweep without a window."""

import argparse
import sys

from scheduler import places
from scheduler.commands.agreement import commands_of, refuse_unseen
from scheduler.commands.answers import print_json, print_lines
from scheduler.commands.dry_run import dry_run, dry_run_words
from scheduler.commands.exits import Exit, exit_for_error, exit_for_run
from scheduler.commands.plans import named_plan
from scheduler.commands.progress import Progress
from scheduler.commands.signals import end_on_signals
from scheduler.commands.simulation import control_for
from scheduler.commands.stored import find
from scheduler.commands.sweep import Done, Request, run_sweep
from scheduler.commands.tables import results_lines
from scheduler.errors import HostBusy, SchedulerError, SpecError, SweepAborted
from scheduler.model.consent import Consent
from scheduler.model.documents import Outcome
from scheduler.model.plain import plain
from scheduler.model.probe import DryRun
from scheduler.model.results import Recommendation, Results, Verdict
from scheduler.model.span import parse_span
from scheduler.model.spec import RunSpec
from scheduler.model.words import sentences
from scheduler.plans.lengthening import lengthened
from scheduler.store.runs import RunStore

_LEAST, _MOST = "1m", "7d"


def run(arguments: argparse.Namespace) -> int:
    """Sweep; the result goes to standard output, everything else to standard error."""
    spec, continues = _plan_of(arguments)
    if arguments.dry_run:
        return _say(spec, despite_errors=arguments.despite_errors, as_json=arguments.json)
    for command in commands_of(spec) if arguments.allow_command else ():
        print(plain(f"By the plan, {command}."), file=sys.stderr)
    request = Request(
        spec,
        continues=continues,
        consent=_consent(arguments),
        own_passwords=arguments.allow_password,
        despite_errors=arguments.despite_errors,
    )
    done = _sweep(request, quiet=arguments.quiet)
    if arguments.json:
        print_json(done.results)
    else:
        print_lines(*results_lines(done.results))
    results = done.results
    return exit_for_run(results.outcome, done.error, restored=results.restored, busy=results.busy)


def refused(arguments: argparse.Namespace, error: SchedulerError) -> DryRun | Results:
    """Return the object for a sweep that never began."""
    return DryRun(error=str(error), hint=error.hint) if arguments.dry_run else _nothing(arguments.plan, error)


def _plan_of(arguments: argparse.Namespace) -> tuple[RunSpec, str]:
    """Return the plan, and the id of the run that it continues, empty for none; raises SpecError, StoreError."""
    if not arguments.continues:
        if arguments.for_time:
            raise SpecError("--for", "there is no run to measure longer", hint="Add --continue RUN.")
        if not arguments.plan:
            raise SpecError("PLAN", "none given", hint="Name a plan file, or a run with --continue RUN.")
        return named_plan(arguments.plan), ""
    given = named_plan(arguments.plan) if arguments.plan else None
    if given is not None:
        refuse_unseen(given, _consent(arguments))
    with RunStore(places.store_path(), read_only=True) as store:
        earlier = find(store, arguments.continues)
    spec = given or earlier.spec
    if arguments.for_time:
        spec = lengthened(spec, parse_span(arguments.for_time, "--for", _LEAST, _MOST) / 60)
    return spec, earlier.run_id


def _consent(arguments: argparse.Namespace) -> Consent:
    return Consent(arguments.allow_command, arguments.allow_command, arguments.insecure)


def _sweep(request: Request, *, quiet: bool) -> Done:
    control = control_for(request.spec)
    end_on_signals(control)
    with Progress(quiet=quiet) as progress:
        return run_sweep(request, control, [progress.take])


def _say(spec: RunSpec, *, despite_errors: bool, as_json: bool) -> int:
    answer, error = dry_run(spec, despite_errors=despite_errors)
    if as_json:
        print_json(answer)
    else:
        print_lines(*dry_run_words(answer))
    return exit_for_error(error) if error else Exit.DONE


def _nothing(plan: str, error: SchedulerError) -> Results:
    return Results(
        run_id="",
        name=plan,
        host="",
        host_title="",
        mode="",
        protocol="",
        outcome=Outcome.ABORTED if isinstance(error, SweepAborted) else Outcome.FAILED,
        restored=exit_for_error(error) is not Exit.NOT_RESTORED and not isinstance(error, HostBusy),
        busy=isinstance(error, HostBusy),
        simulated=False,
        measured_s=0.0,
        started_unix_s=0.0,
        points=(),
        recommendation=Recommendation(verdict=Verdict.NONE, reasons=("nothing was measured",)),
        reason=sentences(str(error), error.hint),
    )
