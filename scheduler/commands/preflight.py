"""Refusal of hosts with preflight errors, in `run`, `follow`, `apply` and `probe`."""

from collections.abc import Iterable, Sequence

from scheduler.errors import HostNotUsable
from scheduler.model.host_properties import PreflightFinding, Severity
from scheduler.model.sentence_texts import join_sentences
from scheduler.model.study_concerns import WRITE_CONCERNS
from scheduler.translation import _, ngettext

DESPITE_ERRORS_OPTION = "--despite-errors"
RUN_COMMAND = "domtune run PLAN"


def require_no_errors(findings: Iterable[PreflightFinding], command: str, *, despite_errors: bool) -> None:
    """Raise HostNotUsable for a host with preflight errors.

    Args:
        findings: Preflight findings that concern the command.
        command: Command that the user can repeat with the option, for example `domtune run PLAN`.
        despite_errors: True to accept the errors.
    """
    error = None if despite_errors else preflight_error(findings, command)
    if error is not None:
        raise error


def preflight_error(findings: Iterable[PreflightFinding], command: str) -> HostNotUsable | None:
    """Return the refusal of a host with preflight errors; None without errors.

    Args:
        findings: Preflight findings that concern the command.
        command: Command that the user can repeat with the option, for example `domtune run PLAN`.
    """
    errors = [finding for finding in findings if finding.level is Severity.ERROR]
    if not errors:
        return None
    count = ngettext("an error", "{n} errors", len(errors)).format(n=len(errors))
    seen = "; ".join(error.text for error in errors)
    remedies = [error.hint for error in errors if error.hint]
    hint = _("Then start again. To go on in spite of that, use {command} {despite_errors_option}.").format(
        command=command, despite_errors_option=DESPITE_ERRORS_OPTION
    )
    return HostNotUsable(
        _("Preflight found {count} on the host: {seen}").format(count=count, seen=seen),
        hint=join_sentences(*remedies, hint),
    )


def writing_findings(findings: Sequence[PreflightFinding]) -> tuple[PreflightFinding, ...]:
    """Return the findings that matter when a split is set without a measurement."""
    return tuple(finding for finding in findings if finding.concern in WRITE_CONCERNS)


def finding_words(findings: Iterable[PreflightFinding], did: str) -> list[str]:
    """Return errors and warnings as sentences.

    Args:
        findings: Preflight findings.
        did: Action that was taken despite the errors, for example `Run`.
    """
    return [
        join_sentences(
            _("{did} despite a preflight error: {finding}").format(did=did, finding=finding.text), finding.hint
        )
        if finding.level is Severity.ERROR
        else join_sentences(_("Preflight: {finding}").format(finding=finding.text), finding.hint)
        for finding in findings
        if finding.level is not Severity.INFO
    ]
