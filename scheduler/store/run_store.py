"""The store: every document of every run in one SQLite file (WAL)."""

import logging
import secrets
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from scheduler.errors import StoreCorrupt, StoreError
from scheduler.model.bounded_json import decode_bounded
from scheduler.model.codec import decode_document, encode_json, make_decoder
from scheduler.model.documents import Document, RunStarted, RunStopped
from scheduler.model.observation_documents import ObservationStarted
from scheduler.model.results import Results
from scheduler.model.run_labels import RunLabels
from scheduler.model.urls import redact_url
from scheduler.stats.rules_version import RULES_VERSION
from scheduler.store.file_integrity import MOST_STATEMENT_S, is_damage
from scheduler.store.run_entries import (
    AnswerSummary,
    RunEntry,
    RunOrigin,
    summarise_observed,
    summarise_plan,
    summarise_results,
)
from scheduler.store.run_removal import remove_deleted
from scheduler.store.run_rows import READ_ERRORS, RunRow, build_run_row, read_entry, require_text, unreadable_error
from scheduler.store.sample_compression import SAMPLE_TAGS, pack_samples, unpack_texts
from scheduler.store.store_file import DAMAGED_HINT, open_store_file, quarantine_store
from scheduler.translation import _

log = logging.getLogger(__name__)

_ENTRIES = "SELECT runs.*, rules, answer FROM runs LEFT JOIN results USING (run_id)"
# A run that goes on with another is the same sweep to its user.
_INHERIT = """
UPDATE runs SET (title, tags, note) = (SELECT title, tags, note FROM runs AS earlier WHERE earlier.run_id = :continues)
WHERE run_id = :run_id AND EXISTS (SELECT 1 FROM runs AS earlier WHERE earlier.run_id = :continues)
"""
# The plan is compact JSON, in which no other text can hold these letters.
_IS_SWEEP = """ AND plan NOT LIKE '%"study":"watch"%' AND plan NOT LIKE '%"study":"follow"%' """
# A run from elsewhere says nothing of a host of this computer: it is never restored, repeated or built upon unasked.
_OWN = "origin = ''"
_LACKING = """
SELECT run_id FROM runs LEFT JOIN results USING (run_id)
WHERE outcome IS NOT NULL AND deleted_unix_s IS NULL AND rules IS NOT ?
"""
_IMPORTED = """
UPDATE runs SET title = ?, tags = ?, note = ?, origin = ?, outcome = ?, restored = ? WHERE run_id = ?
"""
_KEEP = """
INSERT OR REPLACE INTO results (run_id, rules, answer, body)
SELECT ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM runs WHERE run_id = ?)
"""
_RESULTS = make_decoder(Results)


class RunStore:
    """The file with all runs.

    Args:
        path: The file; created, with its folder, when it is missing (unless `read_only`).
        read_only: True for readers; a missing file then holds no runs.

    Attributes:
        path: The file.
        read_only: True for readers.
        kept_aside: The message about a damaged file that was quarantined; None for no damage.

    Raises:
        StoreCorrupt: The file is damaged. A writer has quarantined it, and a second try creates a new file.
        StoreError: It cannot be opened, or was written by a newer version.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path, self.read_only = path, read_only
        self._seq: dict[str, int] = {}
        self._file = open_store_file(path, read_only=read_only)
        self.quarantine_error: StoreCorrupt | None = None

    @property
    def _db(self) -> sqlite3.Connection:
        self._file.limit.restart()
        return self._file.db

    def __enter__(self) -> Self:
        """Use as a context."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._file.close()

    def append(self, run_id: str, document: Document, answer: AnswerSummary | None = None) -> None:
        """Store one document; it survives a crash of this process when this returns.

        Damage that is found at a run's first document quarantines the file and begins a new one.

        Args:
            run_id: The run.
            document: Its next document.
            answer: Answer of a run that the document ends; no list then shows the end without the answer.

        Raises:
            StoreError: It could not be written; earlier documents are kept.
        """
        try:
            self._write_document(run_id, document, answer)
        except (sqlite3.Error, UnicodeError) as error:
            if not isinstance(document, RunStarted | ObservationStarted) or not is_damage(error):
                raise self._write_error(error) from error
            self._replace_damaged(error)
            try:
                self._write_document(run_id, document, answer)
            except (sqlite3.Error, UnicodeError) as again:
                raise self._write_error(again) from again

    def _write_document(self, run_id: str, document: Document, answer: AnswerSummary | None) -> None:
        with self._db:
            seq = self._next_seq(run_id)
            if isinstance(document, RunStarted | ObservationStarted):
                self._insert_run(run_id, document)
            self._db.execute(
                "INSERT INTO documents VALUES (?, ?, ?, ?, ?)",
                (run_id, seq, document.t_s, type(document).__name__, encode_json(document).decode()),
            )
            if isinstance(document, RunStopped):
                self._db.execute(
                    "UPDATE runs SET outcome = ?, restored = ? WHERE run_id = ?",
                    (document.outcome.value, document.restored, run_id),
                )
            if answer is not None:
                self._db.execute(_KEEP, (run_id, RULES_VERSION, encode_json(answer).decode(), "", run_id))
        self._seq[run_id] = seq + 1
        if isinstance(document, RunStopped):
            self._pack_samples(run_id)

    def _pack_samples(self, run_id: str) -> None:
        try:
            pack_samples(self._db, run_id)
        except (sqlite3.Error, UnicodeError) as error:  # they only take more room
            log.warning("the samples of run %s were not compressed: %s", run_id, error)

    def _next_seq(self, run_id: str) -> int:
        """Return the next document's number; continue a run that another process wrote."""
        if run_id not in self._seq:
            [row] = self._db.execute("SELECT max(seq) + 1 FROM documents WHERE run_id = ?", (run_id,)).fetchall()
            self._seq[run_id] = row[0] or 0
        return self._seq[run_id]

    def _replace_damaged(self, error: Exception) -> None:
        self._file.close()
        self.quarantine_error = quarantine_store(self.path, self._file.seen, error)
        self._file = open_store_file(self.path, read_only=False)
        log.warning("%s", self.quarantine_error or f"{self.path} was damaged and quarantined by another sweep")

    def _write_error(self, error: Exception) -> StoreError:
        hint = _("Free disk space, or set DOMTUNE_HOME to another disk. Earlier documents are kept.")
        return StoreError(
            _("results could not be written to {path}: {error}").format(path=self.path, error=error),
            hint=DAMAGED_HINT if is_damage(error) else hint,
        )

    def add_run(self, run_id: str, documents: Sequence[Document], labels: RunLabels, origin: RunOrigin) -> None:
        """Store a whole run from elsewhere, or nothing.

        Args:
            run_id: The run, which is not in the store.
            documents: All its documents, with `RunStopped` among them.
            labels: Its labels.
            origin: Its origin.

        Raises:
            StoreError: It could not be written.
        """
        [*_unused, stopped] = (document for document in documents if isinstance(document, RunStopped))
        first = documents[0]
        if not isinstance(first, RunStarted | ObservationStarted):
            raise unreadable_error(run_id, ValueError(_("its first document is missing")))
        rows = [
            (run_id, seq, document.t_s, type(document).__name__, encode_json(document).decode())
            for seq, document in enumerate(documents)
        ]
        values = (labels.title, "\n".join(labels.tags), labels.note, encode_json(origin).decode())
        try:
            with self._db:
                self._insert_run(run_id, first)
                self._db.executemany("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", rows)
                self._db.execute(_IMPORTED, (*values, stopped.outcome.value, stopped.restored, run_id))
        except (sqlite3.Error, UnicodeError) as error:
            raise self._write_error(error) from error
        self._pack_samples(run_id)

    def keep_results(self, run_id: str, results: Results | None) -> None:
        """Cache the results that were derived from a run's documents.

        Args:
            run_id: The run.
            results: Its results; None when none can be derived.

        Raises:
            StoreError: The cache could not be written.
        """
        body = "" if results is None else encode_json(results).decode()
        self.keep_answer(run_id, None if results is None else summarise_results(results), body)

    def keep_answer(self, run_id: str, answer: AnswerSummary | None, body: str = "") -> None:
        """Cache the answer that lists show.

        Args:
            run_id: The run.
            answer: Its answer; None when none can be derived.
            body: Its results as JSON; empty for an observation, which has none.

        Raises:
            StoreError: The cache could not be written.
        """
        text = "" if answer is None else encode_json(answer).decode()
        self._execute_change(_KEEP, run_id, RULES_VERSION, text, body, run_id)

    def cached_results(self, run_id: str) -> Results | None:
        """Return cached results of the present rules, else None. Raises StoreError."""
        statement = "SELECT body FROM results WHERE run_id = ? AND rules = ?"
        for row in self._select_rows(statement, run_id, RULES_VERSION):
            try:
                return decode_bounded(_RESULTS, require_text(row["body"]))
            except READ_ERRORS as error:
                log.info("the cached results of run %s cannot be read: %s", run_id, error)
        return None

    def runs_without_answer(self) -> list[str]:
        """Return the ids of ended runs without current results, newest first.

        Raises:
            StoreError: The file cannot be read.
        """
        rows = self._select_rows(f"{_LACKING} ORDER BY started_unix_s DESC", RULES_VERSION)
        return [row["run_id"] for row in rows if isinstance(row["run_id"], str)]

    def set_labels(self, run_id: str, labels: RunLabels) -> None:
        """Replace a run's name, tags and note.

        Args:
            run_id: The run.
            labels: The new labels.

        Raises:
            StoreError: They could not be written.
        """
        values = (labels.title, "\n".join(labels.tags), labels.note)
        self._execute_change("UPDATE runs SET title = ?, tags = ?, note = ? WHERE run_id = ?", *values, run_id)

    def set_deleted(self, run_id: str, deleted_unix_s: float | None) -> None:
        """Delete a run from the list, or undo the deletion.

        Args:
            run_id: The run.
            deleted_unix_s: Time of the deletion, seconds since 1970; None undoes it.

        Raises:
            StoreError: It could not be written.
        """
        self._execute_change("UPDATE runs SET deleted_unix_s = ? WHERE run_id = ?", deleted_unix_s, run_id)

    def remove_deleted(self, before_unix_s: float) -> int:
        """Remove runs that were deleted before a time; return their number.

        Raises:
            StoreError: The file cannot be written.
        """
        try:
            return remove_deleted(self._db, before_unix_s)
        except (sqlite3.Error, UnicodeError) as error:
            raise self._write_error(error) from error

    def drop(self, run_id: str) -> None:
        """Remove a run that was refused before it began. Raises StoreError."""
        self._execute_change("DELETE FROM documents WHERE run_id = ?", run_id)
        self._execute_change("DELETE FROM results WHERE run_id = ?", run_id)
        self._execute_change("DELETE FROM runs WHERE run_id = ?", run_id)

    def runs(self) -> list[RunEntry]:
        """Return all readable runs, newest first; an unreadable run hides no others.

        Raises:
            StoreError: The file cannot be read.
        """
        return list(self._read_entries("WHERE deleted_unix_s IS NULL"))

    def recent_runs(self, most: int, host_id: str = "") -> list[RunEntry]:
        """Return this computer's newest runs that can be read, newest first.

        Args:
            most: Number of runs, >= 1.
            host_id: Identity of their host; empty for all hosts.

        Raises:
            StoreError: The file cannot be read.
        """
        where = f"WHERE deleted_unix_s IS NULL AND {_OWN}"
        if not host_id:
            return list(self._read_entries(where, most=most))
        return list(self._read_entries(f"{where} AND host_id = ?", host_id, most=most))

    def deleted_runs(self) -> list[RunEntry]:
        """Return the runs whose deletion can be undone, newest first. Raises StoreError."""
        return list(self._read_entries("WHERE deleted_unix_s IS NOT NULL"))

    def unfinished(self) -> list[RunEntry]:
        """Return this computer's unfinished runs, and those that left a host changed.

        Raises:
            StoreError: The file cannot be read.
        """
        return list(self._read_entries(f"WHERE (outcome IS NULL OR restored = 0) AND {_OWN}"))

    def newest(self, host_id: str = "", *, sweep: bool = False) -> str:
        """Return the id of this computer's newest run; empty for none.

        Args:
            host_id: Identity of its host; empty for all hosts.
            sweep: True to leave out observations.

        Raises:
            StoreError: The file cannot be read.
        """
        where = (
            f"deleted_unix_s IS NULL AND {_OWN}"
            + (" AND host_id = ?" if host_id else "")
            + (_IS_SWEEP if sweep else "")
        )
        statement = f"SELECT run_id FROM runs WHERE {where} ORDER BY started_unix_s DESC LIMIT 1"  # noqa: S608 - ours
        rows = self._select_rows(statement, *filter(None, (host_id,)))
        return rows[0]["run_id"] if rows else ""

    def has_run(self, run_id: str) -> bool:
        """Return True for a stored or deleted run of this id. Raises StoreError."""
        return bool(self._select_rows("SELECT 1 FROM runs WHERE run_id = ?", run_id))

    def continued(self, run_id: str) -> bool:
        """Return True when a run of this computer continues it. Raises StoreError."""
        statement = f"SELECT 1 FROM runs WHERE continues = ? AND deleted_unix_s IS NULL AND {_OWN} LIMIT 1"  # noqa: S608 - ours
        return bool(self._select_rows(statement, run_id))

    def _read_entries(self, where: str, *values: str, most: int = -1) -> Iterator[RunEntry]:
        for row in self._select_rows(f"{_ENTRIES} {where} ORDER BY started_unix_s DESC LIMIT ?", *values, most):
            try:
                yield read_entry(row)
            except StoreError as error:
                log.warning("excluded from the list: %s", error)

    def entry(self, run_id: str) -> RunEntry:
        """Return one run for a list, even a deleted one; raise StoreError for none."""
        rows = self._select_rows(f"{_ENTRIES} WHERE runs.run_id = ?", run_id)
        if not rows:
            raise StoreError(
                _("there is no run {redact_url!r} in {path}").format(redact_url=redact_url(run_id), path=self.path),
                hint=_("'domtune runs' lists them."),
            )
        return read_entry(rows[0])

    def run(self, run_id: str) -> RunRow:
        """Return one run with its plan and host, even a deleted one.

        Raises:
            StoreError: There is none, or it cannot be read.
        """
        entry = self.entry(run_id)
        first = next(self._read_documents(run_id, "AND seq = 0"), None)
        if isinstance(first, ObservationStarted):
            raise StoreError(
                _("run {run_id} observed a host; it has no plan and no trials").format(run_id=run_id),
                hint=_(
                    "'domtune runs {run_id}' shows it, 'domtune export {run_id} --to html' writes its report."
                ).format(run_id=run_id),
            )
        if not isinstance(first, RunStarted):
            raise unreadable_error(run_id, ValueError(_("its first document is missing")))
        return build_run_row(entry, first)

    def documents(self, run_id: str, *, samples: bool = True) -> Iterator[Document]:
        """Yield a run's documents in their order.

        Args:
            run_id: The run.
            samples: False excludes the samples of each second, which are most of a run.

        Raises:
            StoreError: One cannot be read.
        """
        return self._read_documents(run_id, "" if samples else f"AND tag NOT IN {SAMPLE_TAGS}")

    def _read_documents(self, run_id: str, where: str) -> Iterator[Document]:
        statement = f"SELECT body FROM documents WHERE run_id = ? {where} ORDER BY seq"  # noqa: S608 - ours
        for row in self._select_rows(statement, run_id):
            try:
                for text in unpack_texts(row["body"]):
                    yield decode_document(text)
            except READ_ERRORS as error:
                raise unreadable_error(run_id, error) from error

    def _insert_run(self, run_id: str, started: RunStarted | ObservationStarted) -> None:
        if isinstance(started, RunStarted):
            host_id, continues, plan = started.facts.host_id, started.continues, summarise_plan(started)
        else:
            host_id, continues, plan = started.host_id, "", summarise_observed(started)
        self._db.execute(
            "INSERT INTO runs (run_id, started_unix_s, host_id, continues, plan) VALUES (?, ?, ?, ?, ?)",
            (run_id, started.wall_unix_s, host_id, continues, encode_json(plan).decode()),
        )
        if continues:
            self._db.execute(_INHERIT, {"continues": continues, "run_id": run_id})

    def _execute_change(self, statement: str, *values: str | float | None) -> None:
        try:
            with self._db:
                self._db.execute(statement, values)
        except (sqlite3.Error, UnicodeError) as error:
            raise self._write_error(error) from error

    def _select_rows(self, statement: str, *values: str | int) -> list[Any]:
        try:
            return self._db.execute(statement, values).fetchall()
        except (sqlite3.Error, UnicodeError) as error:
            raise self._read_error(error) from error

    def _read_error(self, error: Exception) -> StoreError:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            text = _("{path} cannot be read: a statement took longer than {most_statement_s:g} s").format(
                path=self.path, most_statement_s=MOST_STATEMENT_S
            )
            return StoreError(text, hint=_("Where does the file come from? DomTune makes none that takes so long."))
        return StoreError(
            _("{path} cannot be read: {error}").format(path=self.path, error=error),
            hint=DAMAGED_HINT if is_damage(error) else "",
        )


def new_run_id() -> str:
    """Return an id that is unique and sorts by time."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"


def open_store(path: Path) -> RunStore:
    """Open the store for writing; quarantine a damaged file and begin a new one.

    The message about the damage is `kept_aside`. Raises StoreError.
    """
    try:
        return RunStore(path)
    except StoreCorrupt as error:
        log.warning("%s", error)
        store = RunStore(path)
        store.quarantine_error = error
        return store
