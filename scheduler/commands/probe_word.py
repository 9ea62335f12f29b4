"""`domtune probe URL`: look at a host."""

import argparse

from scheduler import places
from scheduler.commands.answers import answered
from scheduler.commands.applied import applied_to, applied_words, revert_hint
from scheduler.commands.exits import Exit
from scheduler.commands.preflight import RUN, preflight_error
from scheduler.errors import HostBusy, HostKeyChanged, HostKeyUnknown, JournalError, LoginRefused, SchedulerError
from scheduler.hosts.observing import ObservedHost
from scheduler.hosts.registry import open_host, unheard
from scheduler.model.facts import HostFacts
from scheduler.model.holder import Holder, busy_words, holder_of
from scheduler.model.probe import Probe, Problem
from scheduler.model.urls import shown
from scheduler.model.words import sentences
from scheduler.run.journal import HostLock, Journal


def probe(arguments: argparse.Namespace) -> int:
    """Print what the host is, and whether a sweep could start."""
    return answered(lambda: _probe(arguments), _words, _refusal, as_json=arguments.json, code=_exit_code)


def _probe(arguments: argparse.Namespace) -> Probe:
    facts = facts_of(arguments.url, arguments.io, arguments.guest)
    by = held_by(facts.host_id)
    applied = applied_to(facts.host_id)
    error = preflight_error(facts.findings, RUN)
    refused = sentences(str(error), error.hint) if error else ""
    return Probe(facts=facts, busy=by is not None, applied=applied, held_by=by or Holder.UNKNOWN, refused=refused)


def _exit_code(answer: Probe) -> Exit:
    return Exit.NOT_USABLE if answer.refused else Exit.DONE


def _refusal(error: SchedulerError) -> Probe:
    """Return the answer for a host that cannot be looked at, with what a person can do about it."""
    match error:
        case HostKeyUnknown():
            problem = Problem.KEY_UNKNOWN
        case HostKeyChanged():
            problem = Problem.KEY_CHANGED
        case LoginRefused():
            problem = Problem.LOGIN
        case _:
            problem = Problem.DOMAINS if error.choices else Problem.NONE
    return Probe(
        error=str(error),
        hint=error.hint,
        busy=isinstance(error, HostBusy),
        held_by=holder_of(error.holder) if isinstance(error, HostBusy) else Holder.UNKNOWN,
        problem=problem,
        fingerprint=error.fingerprint if isinstance(error, HostKeyUnknown) else "",
        choices=error.choices,
    )


def facts_of(url: str, io_domain: str = "", guest_domain: str = "") -> HostFacts:
    """Open a host, ask, close; raises SpecError, HostError."""
    host = ObservedHost(open_host(url, unheard, io_domain=io_domain, guest_domain=guest_domain))
    try:
        return host.facts()
    finally:
        host.close()


def held_by(host_id: str) -> Holder | None:
    """Return who holds the host, or left it changed: an undo record holds it, too, whatever is in it.

    Returns:
        None when the host is free.

    Raises:
        JournalError: Nobody can tell.
    """
    folder = places.journal_dir()
    try:
        with HostLock(folder, host_id):
            journal = Journal(folder, host_id)
            return _left_by(journal) if journal.files() else None
    except HostBusy as error:
        return holder_of(error.holder)


def _left_by(journal: Journal) -> Holder:
    try:
        undo = journal.record()
    except JournalError:  # that it is there is what counts
        undo = None
    return Holder.UNKNOWN if undo is None else undo.by


def _words(answer: Probe) -> list[str]:
    facts = answer.facts
    if facts is None:
        return []
    domains = [f"  {domain.id}: {domain.name}, {domain.vcpus} vCPU on CPU {domain.cpus}" for domain in facts.domains]
    findings = [f"  {finding.level}: {sentences(finding.text, finding.hint)}" for finding in facts.findings]
    versions = ", ".join(f"{name} {number}" for name, number in facts.versions.items())
    return [
        f"{facts.title} ({shown(facts.url)})",
        f"  scheduler {facts.scheduler}; {facts.pcpus} CPUs, contended {facts.contended_cpus}; {versions}",
        *domains,
        *findings,
        f"  a sweep is refused: {answer.refused}" if answer.refused else "",
        f"  busy: {busy_words(answer.held_by)}" if answer.busy else "",
        f"  {sentences(applied_words(answer.applied), revert_hint(answer.applied))}" if answer.applied else "",
    ]
