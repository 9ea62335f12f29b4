"""Changes to a host by `domtune apply` and `revert`: rows, lines and refusals."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from scheduler import places
from scheduler.errors import HostBusy, JournalError, RestoreFailed, SchedulerError
from scheduler.model.command_answers import ApplyResult, ParameterChange
from scheduler.model.lock_owner import describe_change_origin
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.run.journal import UndoJournal
from scheduler.run.lease import DOMAINS

Params = Mapping[DomainId, SchedParams | None]


def refuse_pending_restore(host_id: str) -> None:
    """Raise HostBusy for a host with a pending restore.

    The restore would undo our changes later.
    """
    journal = UndoJournal(places.journal_dir(), host_id)
    try:
        undo = journal.read()
    except JournalError as error:
        raise HostBusy(f"a broken sweep may have left this host changed: {error}", hint=error.hint) from error
    if undo is not None:
        hint = "Run 'domtune restore' first."
        raise HostBusy(f"{describe_change_origin(undo.by)} left this host changed", hint=hint, holder=undo.by)


@contextmanager
def hint_at_revert() -> Generator[None]:
    """Replace the hint of RestoreFailed by `domtune revert`.

    `domtune restore` does not restore applied splits.
    """
    try:
        yield
    except RestoreFailed as error:
        hint = "Fix the cause, then run 'domtune revert'. The original settings are still saved."
        raise RestoreFailed(str(error), error.pending, hint=hint) from error


def list_changes(before: Params, after: Params, read_back: Params) -> tuple[ParameterChange, ...]:
    """Return one row for each parameter.

    Args:
        before: Domain to its parameters before the change.
        after: Domain to its new parameters.
        read_back: Domain to the parameters that were read back; empty when nothing was written.
    """
    rows = ({domain: _param_rows(params.get(domain)) for domain in DOMAINS} for params in (before, after, read_back))
    old, new, got = rows
    return tuple(
        ParameterChange(
            domain=domain,
            parameter=name,
            before=old[domain].get(name, "not there"),
            after=new[domain].get(name, "not there"),
            read_back=got[domain].get(name, "") if read_back else "",
        )
        for domain in DOMAINS
        for name in sorted({*old[domain], *new[domain]})
    )


def _param_rows(params: SchedParams | None) -> Mapping[str, str]:
    return {} if params is None else params.rows


def apply_error(error: SchedulerError) -> ApplyResult:
    """Return the answer for a refused change."""
    return ApplyResult(error=str(error), hint=error.hint)


def apply_words(answer: ApplyResult) -> list[str]:
    """Return the answer as lines for people: changed parameters and the outcome."""
    notes = [words for words in (answer.advice, answer.remark) if words]
    lines = [_change_line(change) for change in answer.changes if not _stays(change)]
    return [*notes, *lines, "done" if answer.done else "nothing was changed"]


def _stays(change: ParameterChange) -> bool:
    return change.before == change.after and change.read_back in ("", change.after)


def _change_line(change: ParameterChange) -> str:
    read_back = f" (reads back {change.read_back})" if change.read_back else ""
    return f"{change.domain} {change.parameter}: {change.before} -> {change.after}{read_back}"
