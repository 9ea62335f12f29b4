"""Reading of rows that may be damaged: every damaged row is the same error."""

import sqlite3
import zlib

import msgspec

from scheduler.errors import SpecError, StoreError
from scheduler.model.bounded_json import decode_bounded
from scheduler.model.codec import make_decoder
from scheduler.model.documents import RunOutcome, RunStarted
from scheduler.model.earlier_run import EarlierRun
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import RunSpec
from scheduler.stats.rules_version import RULES_VERSION
from scheduler.store.run_entries import AnswerSummary, PlanSummary, RunEntry, RunOrigin
from scheduler.translation import _

# A value that is refused today may have been allowed once; a damaged row may hold values of any type.
READ_ERRORS = (msgspec.MsgspecError, SpecError, ValueError, TypeError, OverflowError, zlib.error)

_LAST_UNIX_S = 253_000_000_000.0  # in the year 9987: calendars end with 9999, and a damaged row may hold any number
_PLANS = make_decoder(PlanSummary)
_ANSWERS = make_decoder(AnswerSummary)
_ORIGINS = make_decoder(RunOrigin)


class _RowCells(msgspec.Struct):
    """Cells of a row; cells of other types are damage."""

    run_id: str
    started_unix_s: float
    host_id: str
    continues: str
    plan: str
    outcome: RunOutcome | None
    restored: int | None
    title: str
    tags: str
    note: str
    deleted_unix_s: float | None
    origin: str


class RunRow(RunEntry, frozen=True, kw_only=True):
    """One run with its whole plan and host.

    Attributes:
        spec: The plan.
        facts: The host.
        history: The earlier run that it began with; None for none.
    """

    spec: RunSpec
    facts: HostProperties
    history: EarlierRun | None = None


def read_entry(row: sqlite3.Row) -> RunEntry:
    """Return a run for a list; raises StoreError for one that cannot be read."""
    try:
        return _build_entry(row)
    except READ_ERRORS as error:
        raise unreadable_error(row["run_id"], error) from error


def build_run_row(entry: RunEntry, started: RunStarted) -> RunRow:
    """Return a run with its plan and host.

    Args:
        entry: The run in a list.
        started: The first document of the run.
    """
    values = msgspec.structs.asdict(entry)
    return RunRow(**values, spec=started.spec, facts=started.facts, history=started.history)


def require_text(stored: object) -> str:
    """Return a stored text; raise TypeError for any other type."""
    if not isinstance(stored, str):
        raise TypeError(f"{type(stored).__name__} where text should be")
    return stored


def unreadable_error(run_id: object, error: Exception) -> StoreError:
    """Return the error for a run that cannot be read.

    Args:
        run_id: The stored id, which may be damaged.
        error: The cause.
    """
    name = run_id if isinstance(run_id, str) and run_id.isprintable() else ascii(run_id)
    hint = _("Was it written by another version of DomTune, or is the file damaged?")
    return StoreError(_("run {name} cannot be read: {error}").format(name=name, error=error), hint=hint)


def _build_entry(row: sqlite3.Row) -> RunEntry:
    cells = msgspec.convert(dict(row), _RowCells)
    return RunEntry(
        run_id=cells.run_id,
        started_unix_s=min(max(cells.started_unix_s, 0.0), _LAST_UNIX_S),
        host_id=cells.host_id,
        plan=decode_bounded(_PLANS, cells.plan),
        outcome=cells.outcome,
        restored=None if cells.restored is None else bool(cells.restored),
        answer=_read_answer(row),
        tags=tuple(cells.tags.split("\n")) if cells.tags else (),
        title=cells.title,
        note=cells.note,
        continues=cells.continues,
        deleted_unix_s=cells.deleted_unix_s,
        origin=decode_bounded(_ORIGINS, cells.origin) if cells.origin else None,
    )


def _read_answer(row: sqlite3.Row) -> AnswerSummary | None:
    """Return the cached answer; None for one of older rules or a damaged cache."""
    if row["rules"] != RULES_VERSION or not row["answer"]:
        return None
    try:
        return decode_bounded(_ANSWERS, require_text(row["answer"]))
    except READ_ERRORS:
        return None
