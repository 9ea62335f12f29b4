"""The store: every document of every run in one SQLite file (WAL), and what is read back from it."""

import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import msgspec

from scheduler.errors import StoreCorrupt, StoreError
from scheduler.model.codec import to_document
from scheduler.model.documents import Document, RunStarted, RunStopped
from scheduler.model.labels import Labels
from scheduler.model.results import Results
from scheduler.model.urls import shown
from scheduler.store.opening import DAMAGED, keep, open_file
from scheduler.store.removing import remove_deleted
from scheduler.store.rows import UNREADABLE, RunRow, read_row, text_of, unreadable
from scheduler.store.soundness import is_damage

log = logging.getLogger(__name__)

# What a damaged first document says is not JSON, perhaps, and must not be an error of all rows.
_ROWS = """
SELECT runs.*, (
    SELECT CASE WHEN typeof(body) = 'text' AND json_valid(body) THEN json_extract(body, '$.continues') END
    FROM documents WHERE documents.run_id = runs.run_id AND seq = 0) AS continues
FROM runs
"""
# A run that goes on with another is the same sweep to its user.
_INHERIT = """
UPDATE runs SET (title, tags, note) = (SELECT title, tags, note FROM runs AS earlier WHERE earlier.run_id = :continues)
WHERE run_id = :run_id AND EXISTS (SELECT 1 FROM runs AS earlier WHERE earlier.run_id = :continues)
"""


class RunStore:
    """The file with all runs.

    Args:
        path: The file; made, with its folder, when it is missing (unless `read_only`).
        read_only: True for readers; a missing file then holds no runs.

    Attributes:
        kept_aside: What to say of a damaged file that was kept aside; None when all was well.

    Raises:
        StoreCorrupt: The file is damaged; a writer has kept it aside, and a second try gets a new one.
        StoreError: It cannot be opened, or was written by a newer version.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._seq: dict[str, int] = {}
        self._file = open_file(path, read_only=read_only)
        self.kept_aside: StoreCorrupt | None = None

    @property
    def _db(self) -> sqlite3.Connection:
        return self._file.db

    def __enter__(self) -> Self:
        """Use as a context."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Let go of the file; may be called twice."""
        self._file.close()

    def append(self, run_id: str, document: Document) -> None:
        """Keep one document; it survives this process when this returns.

        A file that only now turns out to be damaged is kept aside before a run's first document, and begun anew.

        Raises:
            StoreError: It could not be written; what was written before is kept.
        """
        try:
            self._write(run_id, document)
        except (sqlite3.Error, UnicodeError) as error:
            if not isinstance(document, RunStarted) or not is_damage(error):
                raise self._not_written(error) from error
            self._begin_anew(error)
            try:
                self._write(run_id, document)
            except (sqlite3.Error, UnicodeError) as again:
                raise self._not_written(again) from again

    def _write(self, run_id: str, document: Document) -> None:
        with self._db:
            seq = self._next_seq(run_id)
            if isinstance(document, RunStarted):
                self._insert_run(document)
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

    def _next_seq(self, run_id: str) -> int:
        """Return the next document's number; a run that another process wrote is gone on with, not written over."""
        if run_id not in self._seq:
            [row] = self._db.execute("SELECT count(*) FROM documents WHERE run_id = ?", (run_id,)).fetchall()
            self._seq[run_id] = row[0]
        return self._seq[run_id]

    def _begin_anew(self, error: Exception) -> None:
        self._file.close()
        self.kept_aside = keep(self._path, self._file.seen, error)
        self._file = open_file(self._path, read_only=False)
        log.warning("%s", self.kept_aside or f"{self._path} was damaged and kept aside by another sweep")

    def _not_written(self, error: Exception) -> StoreError:
        hint = "Free disk space, or set DOMTUNE_HOME to another disk. What was written is kept."
        return StoreError(
            f"results could not be written to {self._path}: {error}", hint=DAMAGED if is_damage(error) else hint
        )

    def keep_results(self, run_id: str, results: Results) -> None:
        """Keep the results beside the documents that they were made from. Raises StoreError."""
        self._change("UPDATE runs SET results = ? WHERE run_id = ?", msgspec.json.encode(results).decode(), run_id)

    def set_labels(self, run_id: str, labels: Labels) -> None:
        """Replace a run's name, tags and note. Raises StoreError."""
        values = (labels.title, "\n".join(labels.tags), labels.note)
        self._change("UPDATE runs SET title = ?, tags = ?, note = ? WHERE run_id = ?", *values, run_id)

    def set_deleted(self, run_id: str, deleted_unix_s: float | None) -> None:
        """Leave a run out of the list since a time, or take it back (None). Raises StoreError."""
        self._change("UPDATE runs SET deleted_unix_s = ? WHERE run_id = ?", deleted_unix_s, run_id)

    def remove_deleted(self, before_unix_s: float) -> int:
        """Remove for good what was deleted before a time; return how many runs. Raises StoreError."""
        try:
            return remove_deleted(self._db, before_unix_s)
        except (sqlite3.Error, UnicodeError) as error:
            raise self._not_written(error) from error

    def drop(self, run_id: str) -> None:
        """Remove a run that has not begun after all. Raises StoreError."""
        self._change("DELETE FROM documents WHERE run_id = ?", run_id)
        self._change("DELETE FROM runs WHERE run_id = ?", run_id)

    def runs(self) -> list[RunRow]:
        """Return all runs that can be read, newest first; one of another version hides no others. Raises StoreError."""
        return [row for row in self._rows() if row.deleted_unix_s is None]

    def deleted_runs(self) -> list[RunRow]:
        """Return the runs that are deleted and can be taken back, newest first. Raises StoreError."""
        return [row for row in self._rows() if row.deleted_unix_s is not None]

    def unfinished(self) -> list[RunRow]:
        """Return the runs without a last word, and those that left their host changed. Raises StoreError."""
        return list(self._rows("WHERE outcome IS NULL OR restored = 0"))

    def _rows(self, where: str = "") -> Iterator[RunRow]:
        for row in self._select(f"{_ROWS} {where} ORDER BY started_unix_s DESC"):
            try:
                yield read_row(row)
            except StoreError as error:
                log.warning("left out of the list: %s", error)

    def run(self, run_id: str) -> RunRow:
        """Return one run, too when it is deleted. Raises StoreError when there is none."""
        rows = self._select(f"{_ROWS} WHERE runs.run_id = ?", run_id)
        if not rows:
            raise StoreError(f"there is no run {shown(run_id)!r} in {self._path}", hint="'domtune runs' lists them.")
        return read_row(rows[0])

    def results(self, run_id: str) -> Results | None:
        """Return a run's results, None when it broke off. Raises StoreError."""
        return self.run(run_id).results

    def documents(self, run_id: str) -> Iterator[Document]:
        """Yield a run's documents in the order in which they came. Raises StoreError."""
        for row in self._select("SELECT body FROM documents WHERE run_id = ? ORDER BY seq", run_id):
            try:
                yield to_document(text_of(row["body"]))
            except UNREADABLE as error:
                raise unreadable(run_id, error) from error

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
        if started.continues:
            self._db.execute(_INHERIT, {"continues": started.continues, "run_id": started.run_id})

    def _change(self, statement: str, *values: str | float | None) -> None:
        try:
            with self._db:
                self._db.execute(statement, values)
        except (sqlite3.Error, UnicodeError) as error:
            raise self._not_written(error) from error

    def _select(self, statement: str, *values: str) -> list[Any]:
        try:
            return self._db.execute(statement, values).fetchall()
        except (sqlite3.Error, UnicodeError) as error:
            raise self._not_read(error) from error

    def _not_read(self, error: Exception) -> StoreError:
        return StoreError(f"{self._path} cannot be read: {error}", hint=DAMAGED if is_damage(error) else "")


def open_store(path: Path) -> RunStore:
    """Open for writing: a damaged file is kept aside, and `kept_aside` says so. Raises StoreError."""
    try:
        return RunStore(path)
    except StoreCorrupt as error:
        log.warning("%s", error)
        store = RunStore(path)
        store.kept_aside = error
        return store
