"""One run as a row of the file, read with suspicion: a damaged one is one error, whatever its values are."""

import sqlite3

import msgspec

from scheduler.errors import SpecError, StoreError
from scheduler.model.documents import Outcome
from scheduler.model.facts import HostFacts
from scheduler.model.labels import Labels
from scheduler.model.lines import decode
from scheduler.model.results import Results
from scheduler.model.spec import RunSpec

# A value that is refused today may have been allowed once; a damaged row may hold values of any type.
UNREADABLE = (msgspec.MsgspecError, SpecError, ValueError, TypeError, OverflowError)


_LAST_UNIX_S = 253_000_000_000.0  # in the year 9987: calendars end with 9999, and a damaged row may say anything


class _Cells(msgspec.Struct):
    """A row as it was written; one of other types is damaged."""

    run_id: str
    started_unix_s: float
    spec: str
    facts: str
    outcome: Outcome | None
    restored: int | None
    results: str | None
    tags: str
    title: str = ""  # an earlier version's file, opened for reading, has none of these
    note: str = ""
    deleted_unix_s: float | None = None
    continues: str | None = None


_SPECS = msgspec.json.Decoder(RunSpec)
_FACTS = msgspec.json.Decoder(HostFacts)
_RESULTS = msgspec.json.Decoder(Results)


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """One run as a list shows it.

    Attributes:
        run_id: Its id.
        spec: What it was to do.
        facts: Its host.
        started_unix_s: When it began, seconds since 1970.
        outcome: How it ended; None while it runs, or when it broke off.
        restored: Whether the host read back as found; None likewise.
        results: Its results; None when it broke off (they can be made from its documents).
        tags: The user's words for it.
        title: What the user calls it; empty for its plan's name.
        note: What the user noted about it.
        continues: Id of the run that it goes on with; empty for none.
        deleted_unix_s: When it was deleted; None while it is not. It can be taken back for a while.
    """

    run_id: str
    spec: RunSpec
    facts: HostFacts
    started_unix_s: float
    outcome: Outcome | None = None
    restored: bool | None = None
    results: Results | None = None
    tags: tuple[str, ...] = ()
    title: str = ""
    note: str = ""
    continues: str = ""
    deleted_unix_s: float | None = None

    @property
    def name(self) -> str:
        """What it is called; may be empty."""
        return self.title or self.spec.name

    @property
    def labels(self) -> Labels:
        """The user's name, tags and note; raises SpecError where they were written by other hands."""
        return Labels(title=self.title, tags=self.tags, note=self.note)

    def labelled(self, results: Results) -> Results:
        """Return its results with the name, tags and note that the user gave it since."""
        return msgspec.structs.replace(results, name=self.name, tags=self.tags, note=self.note)

    @property
    def simulated(self) -> bool:
        """True when nothing was measured on a machine."""
        return self.facts.simulated


def read_row(row: sqlite3.Row) -> RunRow:
    """Return a run as it was written; raises StoreError for one that cannot be read."""
    try:
        return _decoded(row)
    except UNREADABLE as error:
        raise unreadable(row["run_id"], error) from error


def text_of(stored: object) -> str:
    """Return what was written as text; raises TypeError when that is no text any more."""
    if not isinstance(stored, str):
        raise TypeError(f"{type(stored).__name__} where text should be")
    return stored


def unreadable(run_id: object, error: Exception) -> StoreError:
    """Return the error for a run of which something cannot be read."""
    name = run_id if isinstance(run_id, str) and run_id.isprintable() else ascii(run_id)
    hint = "Was it written by another version of DomTune, or is the file damaged?"
    return StoreError(f"run {name} cannot be read: {error}", hint=hint)


def _decoded(row: sqlite3.Row) -> RunRow:
    cells = msgspec.convert(dict(row), _Cells)
    return RunRow(
        run_id=cells.run_id,
        spec=decode(_SPECS, cells.spec),
        facts=decode(_FACTS, cells.facts),
        started_unix_s=min(max(cells.started_unix_s, 0.0), _LAST_UNIX_S),
        outcome=cells.outcome,
        restored=None if cells.restored is None else bool(cells.restored),
        results=None if cells.results is None else decode(_RESULTS, cells.results),
        tags=tuple(cells.tags.split("\n")) if cells.tags else (),
        title=cells.title,
        note=cells.note,
        continues=cells.continues or "",
        deleted_unix_s=cells.deleted_unix_s,
    )
