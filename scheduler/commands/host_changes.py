"""Changes to a host by `domtune apply` and `revert`: rows, lines and refusals."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest

from scheduler import places
from scheduler.errors import HostBusy, JournalError, RestoreFailed, SchedulerError
from scheduler.model.command_answers import ApplyResult, ParameterChange
from scheduler.model.lock_owner import describe_change_origin
from scheduler.model.placement import PLACE_SLOTS, PlacementParams, format_mask, group_vcpus
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.run.journal import UndoJournal
from scheduler.run.lease import DOMAINS
from scheduler.translation import _

Params = Mapping[DomainId, SchedParams | None]
"""Domain, or placement slot, to its parameters."""
_ABSENT = _("not there")


def refuse_pending_restore(host_id: str) -> None:
    """Raise HostBusy for a host with a pending restore.

    The restore would undo our changes later.
    """
    journal = UndoJournal(places.journal_dir(), host_id)
    try:
        undo = journal.read()
    except JournalError as error:
        raise HostBusy(
            _("a broken sweep may have left this host changed: {error}").format(error=error), hint=error.hint
        ) from error
    if undo is not None:
        hint = _("Run 'domtune restore' first.")
        raise HostBusy(
            _("{change_origin} left this host changed").format(change_origin=describe_change_origin(undo.by)),
            hint=hint,
            holder=undo.by,
        )


@contextmanager
def hint_at_revert() -> Generator[None]:
    """Replace the hint of RestoreFailed by `domtune revert`.

    `domtune restore` does not restore applied splits.
    """
    try:
        yield
    except RestoreFailed as error:
        hint = _("Fix the cause, then run 'domtune revert'. The original settings are still saved.")
        raise RestoreFailed(str(error), error.pending, hint=hint) from error


def list_changes(before: Params, after: Params, read_back: Params) -> tuple[ParameterChange, ...]:
    """Return one row for each parameter.

    Args:
        before: Domain, or placement slot, to its parameters before the change.
        after: The same with the new parameters.
        read_back: The same with the parameters that were read back; empty when nothing was written.
    """
    states = (before, after, read_back)
    return tuple(
        ParameterChange(domain=role, parameter=name, before=old, after=new, read_back=got if read_back else "")
        for role in DOMAINS
        for rows in (_changed_rows(role, states), _changed_places(PLACE_SLOTS[role], states))
        for name, (old, new, got) in rows.items()
    )


def _changed_rows(domain: DomainId, states: Sequence[Params]) -> dict[str, tuple[str, ...]]:
    """Return each parameter's name to its values before, after and read back."""
    return _join_rows(*({} if (params := state.get(domain)) is None else params.rows for state in states))


def _changed_places(slot: DomainId, states: Sequence[Params]) -> dict[str, tuple[str, ...]]:
    """Return the same for a domain's placement; vCPUs with equal values are one row."""
    places = [params if isinstance(params := state.get(slot), PlacementParams) else None for state in states]
    masks = [[] if place is None else [format_mask(mask) for mask in place.vcpus] for place in places]
    vcpus = list(zip_longest(*masks, fillvalue=_ABSENT))
    others = _join_rows(*({} if place is None else place.other_rows for place in places))
    return group_vcpus(vcpus) | others if vcpus else others


def _join_rows(*rows: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    old, new, _ = rows
    return {name: tuple(each.get(name, _ABSENT) for each in rows) for name in sorted({*old, *new})}


def apply_error(error: SchedulerError) -> ApplyResult:
    """Return the answer for a refused change."""
    return ApplyResult(error=str(error), hint=error.hint)


def apply_words(answer: ApplyResult) -> list[str]:
    """Return the answer as lines for people: changed parameters and the outcome."""
    notes = [words for words in (answer.advice, answer.remark) if words]
    lines = [_change_line(change) for change in answer.changes if not _stays(change)]
    return [*notes, *lines, "done" if answer.done else _("nothing was changed")]


def _stays(change: ParameterChange) -> bool:
    return change.before == change.after and change.read_back in ("", change.after)


def _change_line(change: ParameterChange) -> str:
    read_back = _(" (reads back {back})").format(back=change.read_back) if change.read_back else ""
    return f"{change.domain} {change.parameter}: {change.before} -> {change.after}{read_back}"
