"""The store: every document of every run in one SQLite file (WAL), and what is read back from it."""

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from scheduler.errors import SpecError, StoreCorrupt, StoreError
from scheduler.model.codec import to_document
from scheduler.model.documents import Document, Outcome, RunStarted, RunStopped
from scheduler.model.facts import HostFacts
from scheduler.model.results import Results
from scheduler.model.spec import RunSpec
from scheduler.store.opening import open_file
from scheduler.store.series import RunSeries, read_series

log = logging.getLogger(__name__)

_UNREADABLE = (msgspec.MsgspecError, SpecError, ValueError)  # a value that is refused today may have been allowed once


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
    """

    run_id: str
    spec: RunSpec
    facts: HostFacts
    started_unix_s: float
    outcome: Outcome | None = None
    restored: bool | None = None
    results: Results | None = None
    tags: tuple[str, ...] = ()

    @property
    def simulated(self) -> bool:
        """True when nothing was measured on a machine."""
        return self.facts.simulated


class RunStore:
    """The file with all runs.

    Args:
        path: The file; made, with its folder, when it is missing (unless `read_only`).
        read_only: True for readers; a missing file then holds no runs.

    Raises:
        StoreCorrupt: The file is damaged; a writer has kept it aside, and a second try gets a new one.
        StoreError: It cannot be opened, or was written by a newer version.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._seq: dict[str, int] = {}
        self._db = open_file(path, read_only=read_only)

    def __enter__(self) -> Self:
        """Use as a context."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Let go of the file; may be called twice."""
        self._db.close()

    def append(self, run_id: str, document: Document) -> None:
        """Keep one document; it survives this process when this returns. Raises StoreError."""
        try:
            with self._db:
                if isinstance(document, RunStarted):
                    self._insert_run(document)
                seq = self._seq.get(run_id, 0)
                self._db.execute(
                    "INSERT INTO documents VALUES (?, ?, ?, ?, ?)",
                    (run_id, seq, document.t_s, type(document).__name__, msgspec.json.encode(document).decode()),
                )
                if isinstance(document, RunStopped):
                    self._db.execute(
                        "UPDATE runs SET outcome = ?, restored = ? WHERE run_id = ?",
                        (document.outcome.value, document.restored, run_id),
                    )
            self._seq[run_id] = seq + 1
        except sqlite3.Error as error:
            raise StoreError(
                f"results could not be written to {self._path}: {error}",
                hint="Free disk space, or set DOMTUNE_HOME to another disk. What was written is kept.",
            ) from error

    def keep_results(self, run_id: str, results: Results) -> None:
        """Keep the results beside the documents that they were made from. Raises StoreError."""
        self._update(run_id, "results", msgspec.json.encode(results).decode())

    def set_tags(self, run_id: str, tags: Sequence[str]) -> None:
        """Replace a run's tags. Raises StoreError."""
        self._update(run_id, "tags", "\n".join(tags))

    def runs(self) -> list[RunRow]:
        """Return all runs that can be read, newest first; one of another version hides no others. Raises StoreError."""
        found: list[RunRow] = []
        for row in self._select("SELECT * FROM runs ORDER BY started_unix_s DESC"):
            try:
                found.append(_row(row))
            except StoreError as error:
                log.warning("left out of the list: %s", error)
        return found

    def run(self, run_id: str) -> RunRow:
        """Return one run. Raises StoreError when there is none."""
        rows = self._select("SELECT * FROM runs WHERE run_id = ?", run_id)
        if not rows:
            raise StoreError(f"there is no run {run_id!r} in {self._path}", hint="'domtune runs' lists them.")
        return _row(rows[0])

    def results(self, run_id: str) -> Results | None:
        """Return a run's results, None when it broke off. Raises StoreError."""
        return self.run(run_id).results

    def documents(self, run_id: str) -> Iterator[Document]:
        """Yield a run's documents in the order in which they came. Raises StoreError."""
        for row in self._select("SELECT body FROM documents WHERE run_id = ? ORDER BY seq", run_id):
            try:
                yield to_document(row["body"])
            except _UNREADABLE as error:
                raise _unreadable(run_id, error) from error

    def series(self, run_id: str) -> RunSeries:
        """Return a run's samples as arrays for plots. Raises StoreError."""
        try:
            return read_series(self._db, run_id)
        except sqlite3.Error as error:
            raise StoreError(f"{self._path} cannot be read: {error}") from error

    def _insert_run(self, started: RunStarted) -> None:
        self._db.execute(
            "INSERT INTO runs (run_id, started_unix_s, spec, facts) VALUES (?, ?, ?, ?)",
            (
                started.run_id,
                started.wall_unix_s,
                msgspec.json.encode(started.spec).decode(),
                msgspec.json.encode(started.facts).decode(),
            ),
        )

    def _update(self, run_id: str, column: str, value: str) -> None:
        statement = {
            "results": "UPDATE runs SET results = ? WHERE run_id = ?",
            "tags": "UPDATE runs SET tags = ? WHERE run_id = ?",
        }[column]
        try:
            with self._db:
                self._db.execute(statement, (value, run_id))
        except sqlite3.Error as error:
            raise StoreError(f"{column} could not be written to {self._path}: {error}") from error

    def _select(self, statement: str, *values: str) -> list[Any]:
        try:
            return self._db.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"{self._path} cannot be read: {error}") from error


def open_store(path: Path) -> tuple[RunStore, str]:
    """Open for writing, whatever it takes; return the store and a remark (empty when all was well)."""
    try:
        return RunStore(path), ""
    except StoreCorrupt as error:
        return RunStore(path), str(error)


def _row(row: sqlite3.Row) -> RunRow:
    try:
        return _decoded(row)
    except _UNREADABLE as error:
        raise _unreadable(row["run_id"], error) from error


def _unreadable(run_id: str, error: Exception) -> StoreError:
    return StoreError(f"run {run_id} cannot be read: {error}", hint="Was it written by another version of DomTune?")


def _decoded(row: sqlite3.Row) -> RunRow:
    return RunRow(
        run_id=row["run_id"],
        spec=msgspec.json.decode(row["spec"], type=RunSpec),
        facts=msgspec.json.decode(row["facts"], type=HostFacts),
        started_unix_s=row["started_unix_s"],
        outcome=None if row["outcome"] is None else Outcome(row["outcome"]),
        restored=None if row["restored"] is None else bool(row["restored"]),
        results=None if row["results"] is None else msgspec.json.decode(row["results"], type=Results),
        tags=tuple(row["tags"].split("\n")) if row["tags"] else (),
    )
