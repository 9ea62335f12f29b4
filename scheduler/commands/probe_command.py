"""`domtune probe URL`: read the properties of a host."""

import argparse

from scheduler import places
from scheduler.commands.applied_splits import applied_words, find_applied_split, revert_hint
from scheduler.commands.command_output import print_answer
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.preflight import RUN_COMMAND, preflight_error
from scheduler.errors import HostBusy, HostKeyChanged, HostKeyUnknown, JournalError, LoginRefused, SchedulerError
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.hosts.observed_host import ObservedHost
from scheduler.model.command_answers import HostProbe, HostProblem
from scheduler.model.host_properties import HostProperties
from scheduler.model.lock_owner import LockOwner, describe_busy_host, parse_lock_owner
from scheduler.model.sentence_texts import format_cpu_list, join_sentences
from scheduler.model.urls import redact_url
from scheduler.run.journal import HostLock, UndoJournal
from scheduler.translation import _


def probe(arguments: argparse.Namespace) -> int:
    """Print the host's properties, and if a sweep could start."""
    return print_answer(
        lambda: _probe_host(arguments), _answer_lines, _error_answer, as_json=arguments.json, code=_exit_code
    )


def _probe_host(arguments: argparse.Namespace) -> HostProbe:
    facts = read_host_properties(arguments.url, arguments.io, arguments.guest)
    by = find_holder(facts.host_id)
    applied = find_applied_split(facts.host_id)
    error = preflight_error(facts.findings, RUN_COMMAND)
    refused = join_sentences(str(error), error.hint) if error else ""
    return HostProbe(
        facts=facts, busy=by is not None, applied=applied, held_by=by or LockOwner.UNKNOWN, refused=refused
    )


def _exit_code(answer: HostProbe) -> ExitCode:
    return ExitCode.NOT_USABLE if answer.refused else ExitCode.DONE


def _error_answer(error: SchedulerError) -> HostProbe:
    """Return the answer for a host that cannot be read, with the remedy."""
    match error:
        case HostKeyUnknown():
            problem = HostProblem.KEY_UNKNOWN
        case HostKeyChanged():
            problem = HostProblem.KEY_CHANGED
        case LoginRefused():
            problem = HostProblem.LOGIN
        case _:
            problem = HostProblem.DOMAINS if error.choices else HostProblem.NONE
    return HostProbe(
        error=str(error),
        hint=error.hint,
        busy=isinstance(error, HostBusy),
        held_by=parse_lock_owner(error.holder) if isinstance(error, HostBusy) else LockOwner.UNKNOWN,
        problem=problem,
        fingerprint=error.fingerprint if isinstance(error, HostKeyUnknown) else "",
        choices=error.choices,
    )


def read_host_properties(url: str, io_domain: str = "", guest_domain: str = "") -> HostProperties:
    """Open a host, read its properties, and close it.

    Args:
        url: URL of the host.
        io_domain: Name of the I/O domain; empty to choose the obvious one.
        guest_domain: Name of the guest; empty to choose the obvious one.

    Raises:
        SpecError: The URL or a name is invalid.
        HostError: The host cannot be read.
    """
    host = ObservedHost(open_host(url, ignore_command, io_domain=io_domain, guest_domain=guest_domain))
    try:
        return host.facts()
    finally:
        host.close()


def find_holder(host_id: str) -> LockOwner | None:
    """Return the kind of run that holds a host or left it changed; None if free.

    An undo record counts, also when it is damaged.

    Raises:
        JournalError: The journal cannot be read.
    """
    folder = places.journal_dir()
    try:
        with HostLock(folder, host_id):
            journal = UndoJournal(folder, host_id)
            return _left_changed_by(journal) if journal.files() else None
    except HostBusy as error:
        return parse_lock_owner(error.holder)


def _left_changed_by(journal: UndoJournal) -> LockOwner:
    try:
        undo = journal.record()
    except JournalError:  # the existence of the record counts
        undo = None
    return LockOwner.UNKNOWN if undo is None else undo.by


def _count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 CPU`, `2 CPUs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _answer_lines(answer: HostProbe) -> list[str]:
    facts = answer.facts
    if facts is None:
        return []
    domains = [
        _("  {id}: {domain}, {count} on CPU {cpus}").format(
            id=domain.id, domain=domain.name, count=_count(domain.vcpus, "vCPU"), cpus=format_cpu_list(domain.cpus)
        )
        for domain in facts.domains
    ]
    findings = [f"  {finding.level}: {join_sentences(finding.text, finding.hint)}" for finding in facts.findings]
    versions = ", ".join(f"{name} {number}" for name, number in facts.versions.items())
    cpus = _("{count}, shared: {shared_cpus}").format(
        count=_count(facts.pcpus, "CPU"), shared_cpus=format_cpu_list(facts.shared_cpus)
    )
    return [
        f"{facts.title} ({redact_url(facts.url)})",
        _("  scheduler {scheduler}; {cpus}; {versions}").format(
            scheduler=facts.scheduler, cpus=cpus, versions=versions
        ),
        *domains,
        *findings,
        _("  a sweep is refused: {refused}").format(refused=answer.refused) if answer.refused else "",
        _("  busy: {busy_host}").format(busy_host=describe_busy_host(answer.held_by)) if answer.busy else "",
        f"  {join_sentences(applied_words(answer.applied), revert_hint(answer.applied))}" if answer.applied else "",
    ]
