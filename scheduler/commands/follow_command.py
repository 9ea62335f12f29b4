"""`domtune follow URL`: keep the split near the optimum of the current load.

The command asks for consent, writes to the host, and restores it.
"""

import argparse
import math
import secrets
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager, nullcontext
from typing import NamedTuple

import msgspec

from scheduler import places
from scheduler.background_runs import FOLLOW
from scheduler.children import python_module
from scheduler.commands.applied_splits import applied_words, find_applied_split
from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.end_notice import EndNotice
from scheduler.commands.exit_codes import ExitCode, exit_for_error
from scheduler.commands.follow_background import print_followed, refuse_detach, start_detached, stop_following
from scheduler.commands.host_changes import refuse_pending_restore
from scheduler.commands.observation_output import FollowPrinter, question_words
from scheduler.commands.observation_recorder import ObservationRecorder
from scheduler.commands.pending_restores import reopen_recorded_host
from scheduler.commands.preflight import finding_words, require_no_errors, writing_findings
from scheduler.commands.signals import end_on_signals, end_with_windows
from scheduler.commands.simulation import lasting_control, simulated_counter, start_own_load
from scheduler.commands.staying_awake import print_unless, stay_awake
from scheduler.errors import HostBusy, LoadError, ParameterRefused, SchedulerError, SpecError
from scheduler.follow.current_split import PairParams, derive_current_split, params_for_split
from scheduler.follow.move_decision import WorstCase, find_worst_case, follow_bounds, parse_range
from scheduler.follow.split_rule import log_ratio_of, rounded_split
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.hosts.observed_host import ObservedHost
from scheduler.hosts.protocols import Host
from scheduler.loads.commit_counter import CommitCounter
from scheduler.loads.statement_counter import StatementCounter
from scheduler.model.databases import find_url_kind
from scheduler.model.duration_text import parse_duration_s
from scheduler.model.host_kinds import is_simulated
from scheduler.model.host_properties import HostProperties
from scheduler.model.lock_owner import LockOwner
from scheduler.model.number_texts import format_cpu_time
from scheduler.model.observation_documents import FollowDone, FollowEnd, FollowLine, FollowStarted
from scheduler.model.run_end import end_of_observation
from scheduler.model.scheduler_params import MIN_QUOTA_US, CgroupParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, Split, parse_split
from scheduler.model.urls import redact_url
from scheduler.run.bounded_counter import BoundedCounter
from scheduler.run.commit_counter import CountsCommits
from scheduler.run.control import RunControl
from scheduler.run.first_look import FirstLook, first_look
from scheduler.run.follow_actor import FollowParts, FollowPlan
from scheduler.run.follow_session import AFTER_S, FollowSession
from scheduler.run.journal import HostLock
from scheduler.run.lease import FOLLOW_SCOPE, HostLease
from scheduler.run.local_guard import LocalGuard
from scheduler.run.observation import LEAST_TIME, MOST_TIME
from scheduler.run.window_link import WindowLink
from scheduler.shares.cpu_floors import LEAST_IO, LOW_IO, least_io_cpus
from scheduler.translation import _

_ACCOUNTED = (0, 10, 50)


def parse_static(text: str, ends: tuple[Split, Split]) -> float | None:
    """Return the static split, ln(I/O domain / guest); None for the original split.

    Args:
        text: Split as typed by the user; may be empty.
        ends: Ends of the range of allowed splits.

    Raises:
        SpecError: The split is not in the range.
    """
    if not text:
        return None
    low, high = map(log_ratio_of, ends)
    ratio = log_ratio_of(parse_split(text, "--static"))
    if not low <= ratio <= high:
        hint = _("Name one of the range, or another --range.")
        raise SpecError(
            "--static",
            _("{text} is outside of {label}..{label_2}").format(text=text, label=ends[0].label, label_2=ends[1].label),
            hint=hint,
        )
    return ratio


def parse_account(arguments: argparse.Namespace) -> int:
    """Return the percent of time for comparisons.

    Without a commit counter, the default is 0.
    """
    if arguments.account is None:
        counts = arguments.database or is_simulated(arguments.url)
        return _ACCOUNTED[-1] if counts else 0
    if arguments.account not in _ACCOUNTED:
        raise SpecError(
            "--account",
            _("{account} is not one of {accounted}").format(
                account=arguments.account, accounted=", ".join(map(str, _ACCOUNTED))
            ),
        )
    return arguments.account


def refuse_unasked(arguments: argparse.Namespace) -> None:
    """Raise SpecError when no person consented and no person can be asked."""
    asks = arguments.ask if arguments.json else is_at_terminal()
    if not (arguments.yes or asks):
        hint = _("Add --yes to allow changes of the host, or run the command at a terminal without --json.")
        raise SpecError("--yes", _("is required: DomTune cannot ask for confirmation without a terminal"), hint=hint)


def is_at_terminal() -> bool:
    """Return True when a person can be asked at this terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def check_range_ends(host: Host, look: FirstLook, plan: FollowPlan) -> tuple[str, ...]:
    """Return warnings about the ends of the range.

    Args:
        host: The host.
        look: First look at the host.
        plan: Plan with the range.

    Raises:
        SpecError: An end of the range cannot be set on the host.
    """
    warnings: list[str] = []
    for end in (plan.bounds.low, plan.bounds.high):
        label = rounded_split(end).label
        params = params_for_split(look.standing, end, look.facts)
        short = [each for each in params.values() if isinstance(each, CgroupParams) and _is_too_short(each)]
        _refuse_unsettable(host, params, label)
        achieved = derive_current_split(dict(params), look.facts).allowed
        if short or abs(achieved.log_ratio - end) > math.log(1.25):
            both = "; ".join(f"{domain} {look.standing.params[domain].words}" for domain in (IO, GUEST))
            hint = _("Name a narrower --range, or set larger limits or weights first.")
            raise SpecError(
                "--range",
                _("{label} cannot be set with the current settings ({both})").format(label=label, both=both),
                hint=hint,
            )
        if look.standing.mode is Mode.CAPS:
            warnings += _warn_of_low_end(label, achieved.io_cpus, look.facts)
    return tuple(warnings)


def _warn_of_low_end(label: str, io_cpus: float, facts: HostProperties) -> list[str]:
    """Return a warning about an end of the range with little CPU for the I/O domain.

    Args:
        label: Split of the end.
        io_cpus: CPU that it allots to the I/O domain, CPUs.
        facts: The host.

    Raises:
        SpecError: The I/O domain would have less than its floor.
    """
    cpus = max(1, len(facts.shared_cpus))
    vcpus = next((domain.vcpus for domain in facts.domains if domain.id == IO), 1)
    least_cpus = float(least_io_cpus(cpus, vcpus))
    given = format_cpu_time(io_cpus, cpus) + ("" if cpus > 1 else _(" of the CPU"))
    if io_cpus < least_cpus:
        problem = _("{label} would leave the I/O domain {given}, under {least_cpus}").format(
            label=label, given=given, least_cpus=format_cpu_time(least_cpus, cpus)
        )
        raise SpecError("--range", problem, hint=_("Name a range with more for the I/O domain."))
    if io_cpus < float(LOW_IO / LEAST_IO) * least_cpus:
        return [
            _("{label} would leave the I/O domain {given}, which slows down the host itself.").format(
                label=label, given=given
            )
        ]
    return []


def _refuse_unsettable(host: Host, params: PairParams, label: str) -> None:
    """Raise SpecError for parameters that the host cannot express; change nothing."""
    for domain, wanted in params.items():
        try:
            host.commands(domain, wanted)
        except ParameterRefused as error:
            hint = error.hint or _("Name a narrower --range.")
            raise SpecError(
                "--range", _("{label} cannot be set here: {error}").format(label=label, error=error), hint=hint
            ) from error


def _is_too_short(params: CgroupParams) -> bool:
    return params.quota_us is not None and params.quota_us < MIN_QUOTA_US


@contextmanager
def open_counter(database: str, host: Host, account_pct: int) -> Generator[tuple[CountsCommits | None, str]]:
    """Yield the commit counter, and the reason why a named database cannot be counted.

    Args:
        database: URL of the database; empty for none.
        host: The host.
        account_pct: Percent of the time for comparisons, 0..50.

    Raises:
        LoadError: The database cannot be counted, and comparisons need the counter.
        SpecError: The URL is invalid.
    """
    if not database:
        yield simulated_counter(host), ""
        return
    kind = find_url_kind(database)
    counter = StatementCounter if kind and kind.counts_statements else CommitCounter
    try:
        opened = counter(database)
    except LoadError as error:
        if account_pct:
            raise
        yield None, _("Commits are not counted: {error}.").format(error=error)
        return
    with closing(opened) as counted, closing(BoundedCounter(counted)) as bounded:
        yield bounded, ""


def follow(arguments: argparse.Namespace) -> int:
    """Follow a host and print the lines, or list or stop followed hosts."""
    if arguments.list:
        return print_followed(as_json=arguments.json)
    if arguments.stop:
        return stop_following(arguments.stop, as_json=arguments.json)
    if not arguments.url:
        raise SpecError("URL", _("is missing: the host to be followed"), hint=_("For example qemu:///system."))
    with_window = arguments.json and arguments.ask and sys.stdout is not None
    with WindowLink(FOLLOW) if with_window else nullcontext() as link:
        return _start_following(arguments, link)


def _start_following(arguments: argparse.Namespace, link: WindowLink | None) -> int:
    for_s = parse_duration_s(arguments.for_time, "--for", LEAST_TIME, MOST_TIME)
    ends = parse_range(arguments.range)
    static = parse_static(arguments.static, ends)
    account_pct = parse_account(arguments)
    refuse_unasked(arguments)
    notice = EndNotice(arguments.notify)
    if arguments.detach:
        refuse_detach(arguments)
        return start_detached(arguments, lambda: arguments.yes or _ask_consent(as_json=False))
    control = lasting_control(arguments.url)
    host = open_host(arguments.url, ignore_command, io_domain=arguments.io, guest_domain=arguments.guest)
    try:
        start_own_load(host, control)
        with open_counter(arguments.database, host, account_pct) as (committed, uncounted):
            look = first_look(ObservedHost(host), control)
            plan = FollowPlan(
                bounds=follow_bounds(ends),
                static=static,
                for_s=for_s,
                account_pct=account_pct,
                seed=secrets.randbits(32) if arguments.seed is None else arguments.seed,
            )
            if uncounted:
                look = msgspec.structs.replace(look, warnings=(*look.warnings, uncounted))
            done, error = _ask_and_follow(arguments, _FollowContext(host, control, committed, link), look, plan)
    finally:
        host.close()
    if done.end is not FollowEnd.DECLINED:
        notice.send(end_of_observation(arguments.url, done), link)
    _print_result(arguments, done)
    return _exit_code(done, error)


def error_answer(arguments: argparse.Namespace, error: SchedulerError) -> FollowDone:
    """Return the object for a follow that did not begin.

    Args:
        arguments: The parsed command line.
        error: The error.
    """
    known = exit_for_error(error) is not ExitCode.NOT_RESTORED
    busy = isinstance(error, HostBusy)
    return FollowDone(
        host=redact_url(arguments.url),
        reason=str(error),
        restored=known and not busy,
        busy=busy,
        error=str(error),
        hint=error.hint,
    )


class _FollowContext(NamedTuple):
    """Parts that are open while a host is followed."""

    host: Host
    control: RunControl
    committed: CountsCommits | None
    link: WindowLink | None


def _ask_and_follow(
    arguments: argparse.Namespace,
    context: _FollowContext,
    look: FirstLook,
    plan: FollowPlan,
) -> tuple[FollowDone, SchedulerError | None]:
    """Ask for consent, then follow; return the last line and the error that ended it."""
    host, control, committed, link = context
    facts = look.facts
    with HostLock(places.journal_dir(), facts.host_id, LockOwner.FOLLOW):  # refuse a busy host before the question
        refuse_pending_restore(facts.host_id)
        warnings = check_range_ends(ObservedHost(host), look, plan)
    findings = writing_findings(facts.findings)
    require_no_errors(findings, f"domtune follow {redact_url(arguments.url)}", despite_errors=arguments.despite_errors)
    harm = find_worst_case(look.use, look.standing.allowed, plan.bounds)
    applied = find_applied_split(facts.host_id)
    warnings = (
        *look.warnings,
        *warnings,
        *finding_words(findings, "Followed"),
        *([f"{applied_words(applied)}."] if applied else []),
    )
    began = _build_began(arguments, host, look, plan, harm, counts=committed is not None)
    began = msgspec.structs.replace(began, warnings=warnings)
    tell = FollowPrinter(as_json=arguments.json, quiet=arguments.quiet, simulated=facts.simulated)
    if not arguments.json:
        print_lines(*question_words(began))
    tell.print_line(began)
    if not (arguments.yes or _ask_consent(as_json=arguments.json)):
        return FollowDone(host=facts.url, end=FollowEnd.DECLINED, reason=_("nothing was changed")), None
    lease = HostLease(host, places.journal_dir(), facts.host_id, arguments.url, reopen_recorded_host, FOLLOW_SCOPE)
    restore = python_module("scheduler", "restore", "--json", "--copy", "--only", facts.host_id)
    recorder = ObservationRecorder(LockOwner.FOLLOW)

    def emit(line: FollowLine) -> None:
        recorder.emit(line)
        tell.print_line(line)

    session = FollowSession(
        FollowParts(
            host=host,
            lease=lease,
            local_guard=LocalGuard(restore, plan.for_s + AFTER_S),
            control=control,
            plan=plan,
            asked=look.standing,
            emit=emit,
            committed=committed,
        )
    )
    end_on_signals(control)  # not earlier: until here, Ctrl+C just ends the program
    if link is not None:
        end_with_windows(control, link)
    with stay_awake(arguments.url, _("a follow"), print_unless(quiet=arguments.quiet or arguments.json)), recorder:
        recorder.emit(began)
        done = session.run()
        recorder.finish(done)
    return done, session.error


def _build_began(
    arguments: argparse.Namespace, host: Host, look: FirstLook, plan: FollowPlan, harm: WorstCase, *, counts: bool
) -> FollowStarted:
    found = look.standing.allowed.log_ratio
    params = look.standing.params
    return FollowStarted(
        host=look.facts.url,
        host_id=look.facts.host_id,
        title=look.facts.title,
        simulated=look.facts.simulated,
        mode=look.standing.mode,
        cpus=max(1, len(look.facts.shared_cpus)),
        split=rounded_split(found),
        io_found=params[IO].words,
        guest_found=params[GUEST].words,
        static=rounded_split(found if plan.static is None else plan.static),
        range_low=rounded_split(plan.bounds.low),
        range_high=rounded_split(plan.bounds.high),
        for_s=plan.for_s,
        account_pct=plan.account_pct,
        seed=plan.seed,
        database=counts,
        guarded_by=_guarded_by(arguments.url, host),
        worst=rounded_split(harm.log_ratio),
        worst_frac=None if look.standing.mode is Mode.WEIGHTS else harm.part,
    )


def _guarded_by(url: str, host: Host) -> str:
    if is_simulated(url):
        return "process"
    return "guard" if host.guard is not None else "local_guard"


def _ask_consent(*, as_json: bool) -> bool:
    """Return True when the person answers yes; a program reads the question as a line."""
    try:
        return input("" if as_json else "Follow it? Type yes: ").strip().lower() == "yes"
    except EOFError:
        return False


def _print_result(arguments: argparse.Namespace, done: FollowDone) -> None:
    if arguments.json:
        print_json(done)
    else:
        simulated = is_simulated(arguments.url)
        FollowPrinter(as_json=False, quiet=arguments.quiet, simulated=simulated).print_line(done)


def _exit_code(done: FollowDone, error: SchedulerError | None) -> ExitCode:
    if done.busy:
        return ExitCode.NOT_USABLE
    if not done.restored:
        return ExitCode.NOT_RESTORED
    match done.end:
        case FollowEnd.TIME | FollowEnd.EVIDENCE:
            return ExitCode.DONE
        case FollowEnd.USER | FollowEnd.DECLINED:
            return ExitCode.ABORTED
        case _:
            return exit_for_error(error)
