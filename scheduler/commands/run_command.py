"""`domtune run PLAN`: run a sweep without a window."""

import argparse
import sys

from scheduler import places
from scheduler.commands.code_consent import code_sentences, require_consent
from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.dry_run import dry_run, dry_run_words
from scheduler.commands.end_notice import EndNotice, end_of_sweep
from scheduler.commands.exit_codes import ExitCode, exit_for_error, exit_for_run
from scheduler.commands.plan_argument import read_named_plan
from scheduler.commands.results_table import results_lines
from scheduler.commands.signals import end_on_signals
from scheduler.commands.simulation import sweep_control
from scheduler.commands.stored_runs import find_run
from scheduler.commands.sweep import SweepOutcome, SweepRequest, run_sweep
from scheduler.commands.sweep_progress import SweepProgress
from scheduler.errors import HostBusy, SchedulerError, SpecError, SweepAborted
from scheduler.model.command_answers import DryRun, list_mistakes
from scheduler.model.consent import Consent
from scheduler.model.documents import RunOutcome
from scheduler.model.duration_text import parse_duration_s
from scheduler.model.results import Recommendation, Results, SplitVerdict
from scheduler.model.sentence_texts import join_sentences
from scheduler.model.spec import RunSpec
from scheduler.model.terminal_text import replace_controls
from scheduler.plans.plan_extension import lengthen_plan
from scheduler.store.run_store import RunStore
from scheduler.translation import _

_LEAST, _MOST = "1m", "7d"


def run(arguments: argparse.Namespace) -> int:
    """Run a sweep; print the result to standard output, all else to standard error."""
    spec, continues = _choose_plan(arguments)
    if arguments.dry_run:
        return _print_dry_run(spec, despite_errors=arguments.despite_errors, as_json=arguments.json)
    for command in code_sentences(spec) if arguments.allow_command else ():
        print(replace_controls(_("By the plan, {command}.").format(command=command)), file=sys.stderr)
    request = SweepRequest(
        spec,
        continues=continues,
        consent=_given_consent(arguments),
        own_passwords=arguments.allow_password,
        despite_errors=arguments.despite_errors,
    )
    notice = EndNotice(arguments.notify)
    done = run_with_progress(request, quiet=arguments.quiet)
    notice.send(end_of_sweep(done.results))
    if arguments.json:
        print_json(done.results)
    else:
        print_lines(*results_lines(done.results))
    results = done.results
    return exit_for_run(results.outcome, done.error, restored=results.restored, busy=results.busy)


def error_answer(arguments: argparse.Namespace, error: SchedulerError) -> DryRun | Results:
    """Return the object for a sweep that did not begin.

    Args:
        arguments: The parsed command line.
        error: The error.
    """
    if not arguments.dry_run:
        return _empty_results(arguments.plan, error)
    return DryRun(error=str(error), hint=error.hint, mistakes=list_mistakes(error))


def _choose_plan(arguments: argparse.Namespace) -> tuple[RunSpec, str]:
    """Return the plan, and the id of the run that it continues; empty for none.

    Raises:
        SpecError: The options or the plan are invalid.
        StoreError: The run cannot be read.
    """
    if not arguments.continues:
        if arguments.for_time:
            raise SpecError("--for", _("there is no run to measure longer"), hint=_("Add --continue RUN."))
        if not arguments.plan:
            raise SpecError("PLAN", _("none given"), hint=_("Name a plan file, or a run with --continue RUN."))
        return read_named_plan(arguments.plan), ""
    given = read_named_plan(arguments.plan) if arguments.plan else None
    if given is not None:
        require_consent(given, _given_consent(arguments))
    with RunStore(places.store_path(), read_only=True) as store:
        earlier = find_run(store, arguments.continues)
    spec = given or earlier.spec
    if arguments.for_time:
        spec = lengthen_plan(spec, parse_duration_s(arguments.for_time, "--for", _LEAST, _MOST) / 60)
    return spec, earlier.run_id


def _given_consent(arguments: argparse.Namespace) -> Consent:
    return Consent(arguments.allow_command, arguments.allow_command, arguments.insecure)


def run_with_progress(request: SweepRequest, *, quiet: bool) -> SweepOutcome:
    """Run a sweep with its progress on standard error.

    Args:
        request: The request.
        quiet: True to show no progress.

    Raises:
        SpecError, HostError, StoreError: The sweep did not begin; nothing was changed.
    """
    control = sweep_control(request.spec)
    end_on_signals(control)
    with SweepProgress(quiet=quiet) as progress:
        return run_sweep(request, control, [progress.take])


def _print_dry_run(spec: RunSpec, *, despite_errors: bool, as_json: bool) -> int:
    answer, error = dry_run(spec, despite_errors=despite_errors)
    if as_json:
        print_json(answer)
    else:
        print_lines(*dry_run_words(answer))
    return exit_for_error(error) if error else ExitCode.DONE


def _empty_results(plan: str, error: SchedulerError) -> Results:
    return Results(
        run_id="",
        name=plan,
        host="",
        host_title="",
        mode="",
        protocol="",
        outcome=RunOutcome.ABORTED if isinstance(error, SweepAborted) else RunOutcome.FAILED,
        restored=exit_for_error(error) is not ExitCode.NOT_RESTORED and not isinstance(error, HostBusy),
        busy=isinstance(error, HostBusy),
        simulated=False,
        measured_s=0.0,
        started_unix_s=0.0,
        points=(),
        answer=Recommendation(verdict=SplitVerdict.NONE, reasons=(_("nothing was measured"),)),
        reason=join_sentences(str(error), error.hint),
    )
