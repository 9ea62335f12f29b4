"""`domtune follow URL`: keep the split near the best of the moment; asks, then writes, and gives the host back."""

import argparse
import secrets
import sys

import msgspec

from scheduler import places
from scheduler.children import python_module
from scheduler.commands.answers import print_json, print_lines
from scheduler.commands.applied import applied_to, applied_words
from scheduler.commands.exits import Exit, exit_for_error
from scheduler.commands.follow_counting import counting
from scheduler.commands.follow_detaching import detach, refuse
from scheduler.commands.follow_listing import listed, stop
from scheduler.commands.follow_refusing import SIMULATED, account_of, refuse_ends, refuse_unasked, static_of
from scheduler.commands.follow_tell import FollowTold, asked_words
from scheduler.commands.host_changes import refuse_broken
from scheduler.commands.preflight import finding_words, require_no_errors, writing_findings
from scheduler.commands.restoring import reopen
from scheduler.commands.signals import end_on_signals, end_with_input
from scheduler.commands.simulation import alive, lasting_control_of
from scheduler.errors import HostBusy, SchedulerError, SpecError
from scheduler.follow.harm import Harm, bounds_of, parse_range, worst_of
from scheduler.follow.telling import split_of
from scheduler.hosts.base import Followed, Host, Keeping
from scheduler.hosts.observing import ObservedHost
from scheduler.hosts.registry import open_host, unheard
from scheduler.model.following import FollowBegan, FollowDone, FollowEnd
from scheduler.model.holder import Holder
from scheduler.model.span import parse_span
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.model.urls import shown
from scheduler.run.committed import Committed
from scheduler.run.control import Control
from scheduler.run.first_look import FirstLook, first_look
from scheduler.run.follow_plan import FollowParts, FollowPlan
from scheduler.run.follow_session import AFTER_S, FollowSession, not_followed
from scheduler.run.journal import HostLock
from scheduler.run.keeper import Keeper
from scheduler.run.lease import FOLLOWED, Lease

LEAST, MOST = "1m", "7d"


def follow(arguments: argparse.Namespace) -> int:
    """Look, ask, follow, give back; the lines go to standard output. Or look after what was begun so."""
    if arguments.list:
        return listed(as_json=arguments.json)
    if arguments.stop:
        return stop(arguments.stop, as_json=arguments.json)
    if not arguments.url:
        raise SpecError("URL", "is missing: the host to be followed", hint="For example qemu:///system.")
    return _follow(arguments)


def _follow(arguments: argparse.Namespace) -> int:
    for_s = parse_span(arguments.for_time, "--for", LEAST, MOST)
    ends = parse_range(arguments.range)
    static = static_of(arguments.static, ends)
    account_pct = account_of(arguments)
    refuse_unasked(arguments)
    if arguments.detach:
        refuse(arguments)
        return detach(arguments, lambda: arguments.yes or _agreed(as_json=False))
    control = lasting_control_of(arguments.url)
    host = open_host(arguments.url, unheard, io_domain=arguments.io, guest_domain=arguments.guest)
    try:
        alive(host, arguments.url, control)
        with counting(arguments.database, host, account_pct) as (committed, uncounted):
            look = first_look(ObservedHost(host), control)
            plan = FollowPlan(
                bounds=bounds_of(ends),
                static=static,
                for_s=for_s,
                account_pct=account_pct,
                seed=secrets.randbits(32) if arguments.seed is None else arguments.seed,
            )
            if uncounted:
                look = msgspec.structs.replace(look, warnings=(*look.warnings, uncounted))
            done, error = _followed(arguments, host, control, look, plan, committed)
    finally:
        host.close()
    _tell(arguments, done)
    return _exit(done, error)


def refused(arguments: argparse.Namespace, error: SchedulerError) -> FollowDone:
    """Return the object for what was not begun."""
    known = exit_for_error(error) is not Exit.NOT_RESTORED
    busy = isinstance(error, HostBusy)
    return FollowDone(
        host=shown(arguments.url),
        reason=str(error),
        restored=known and not busy,
        busy=busy,
        error=str(error),
        hint=error.hint,
    )


def _followed(
    arguments: argparse.Namespace,
    host: Host,
    control: Control,
    look: FirstLook,
    plan: FollowPlan,
    committed: Committed | None,
) -> tuple[FollowDone, SchedulerError | None]:
    """Ask, then follow; returns the last line and what ended it."""
    if not isinstance(host, Followed):
        raise not_followed()
    facts = look.facts
    with HostLock(places.journal_dir(), facts.host_id, Holder.FOLLOW):  # who is refused is not asked
        refuse_broken(facts.host_id)
        warnings = refuse_ends(ObservedHost(host), look, plan)
    findings = writing_findings(facts.findings)
    require_no_errors(findings, f"domtune follow {shown(arguments.url)}", despite_errors=arguments.despite_errors)
    harm = worst_of(look.use, look.standing.allowed, plan.bounds)
    applied = applied_to(facts.host_id)
    warnings = (
        *look.warnings,
        *warnings,
        *finding_words(findings, "Followed"),
        *([f"{applied_words(applied)}."] if applied else []),
    )
    began = _began(arguments, host, look, plan, harm, counts=committed is not None)
    began = msgspec.structs.replace(began, warnings=warnings)
    tell = FollowTold(as_json=arguments.json, quiet=arguments.quiet, simulated=facts.simulated)
    if not arguments.json:
        print_lines(*asked_words(began))
    tell.take(began)
    if not (arguments.yes or _agreed(as_json=arguments.json)):
        return FollowDone(host=facts.url, end=FollowEnd.DECLINED, reason="nothing was written"), None
    lease = Lease(host, places.journal_dir(), facts.host_id, arguments.url, reopen, FOLLOWED)
    restore = python_module("scheduler", "restore", "--json", "--copy", "--only", facts.host_id)
    session = FollowSession(
        FollowParts(
            host=host,
            lease=lease,
            keeper=Keeper(restore, plan.for_s + AFTER_S),
            control=control,
            plan=plan,
            asked=look.standing,
            emit=tell.take,
            committed=committed,
        )
    )
    end_on_signals(control)  # not before: whoever is asked, or only looks, is ended by Ctrl+C as ever
    if arguments.json and arguments.ask and not arguments.detached:
        end_with_input(control, sys.stdin)
    return session.run(), session.error


def _began(
    arguments: argparse.Namespace, host: Host, look: FirstLook, plan: FollowPlan, harm: Harm, *, counts: bool
) -> FollowBegan:
    found = look.standing.allowed.log_ratio
    params = look.standing.params
    return FollowBegan(
        host=look.facts.url,
        host_id=look.facts.host_id,
        title=look.facts.title,
        simulated=look.facts.simulated,
        mode=look.standing.mode.value,
        cpus=max(1, len(look.facts.contended_cpus)),
        found=split_of(found).label,
        io_found=params[IO].words,
        guest_found=params[GUEST].words,
        static=split_of(found if plan.static is None else plan.static).label,
        range_low=split_of(plan.bounds.low).label,
        range_high=split_of(plan.bounds.high).label,
        for_s=plan.for_s,
        account_pct=plan.account_pct,
        seed=plan.seed,
        database=counts,
        guarded_by=_guarded_by(arguments.url, host),
        worst=split_of(harm.log_ratio).label,
        worst_frac=None if look.standing.mode is Mode.SHARE else harm.part,
    )


def _guarded_by(url: str, host: Host) -> str:
    if url.startswith(SIMULATED):
        return "process"
    return "guard" if isinstance(host, Keeping) else "keeper"


def _agreed(*, as_json: bool) -> bool:
    """Ask; a program has been asked by the first line."""
    try:
        return input("" if as_json else "Follow it? Type yes: ").strip().lower() == "yes"
    except EOFError:
        return False


def _tell(arguments: argparse.Namespace, done: FollowDone) -> None:
    if arguments.json:
        print_json(done)
    else:
        simulated = arguments.url.startswith(SIMULATED)
        FollowTold(as_json=False, quiet=arguments.quiet, simulated=simulated).take(done)


def _exit(done: FollowDone, error: SchedulerError | None) -> Exit:
    if done.busy:
        return Exit.NOT_USABLE
    if not done.restored:
        return Exit.NOT_RESTORED
    match done.end:
        case FollowEnd.TIME | FollowEnd.EVIDENCE:
            return Exit.DONE
        case FollowEnd.USER | FollowEnd.DECLINED:
            return Exit.ABORTED
        case _:
            return exit_for_error(error)
