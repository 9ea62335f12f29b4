"""Opening the file with all runs: made, checked, or kept aside when it is damaged."""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from scheduler.errors import StoreCorrupt, StoreError

FORMAT = 1  # PRAGMA user_version; a migration adds one

_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, started_unix_s REAL NOT NULL, spec TEXT NOT NULL, facts TEXT NOT NULL,
    outcome TEXT, restored INTEGER, results TEXT, tags TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS documents (
    run_id TEXT NOT NULL, seq INTEGER NOT NULL, t_s REAL NOT NULL, tag TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)) WITHOUT ROWID;
"""
_BUSY_S = 5.0


def open_file(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open the file; made, with its folder, when it is missing (for readers: an empty one in memory).

    Raises:
        StoreCorrupt: It is damaged; it was kept aside, and a second try gets a new one (never for readers).
        StoreError: It cannot be opened, is damaged (readers), or was written by a newer version.
    """
    try:
        if read_only and not path.exists():
            return _opened(sqlite3.connect(":memory:"), _prepare)
        if read_only:
            return _opened(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_BUSY_S), _checked)
        path.parent.mkdir(parents=True, exist_ok=True)
        return _opened(sqlite3.connect(path, timeout=_BUSY_S), _prepare)
    except sqlite3.OperationalError as error:
        raise StoreError(f"{path} cannot be opened: {error}", hint="Is the disk full or read-only?") from error
    except sqlite3.DatabaseError as error:
        if read_only:
            hint = "The next sweep keeps it aside and starts anew."
            raise StoreError(f"{path} is damaged: {error}", hint=hint) from error
        kept = _keep_aside(path)
        raise StoreCorrupt(f"{path} is damaged ({error}); it was kept as {kept}", kept) from error
    except OSError as error:
        raise StoreError(f"{path.parent} cannot be made: {error.strerror}") from error


def _opened(db: sqlite3.Connection, ready: Callable[[sqlite3.Connection], sqlite3.Connection]) -> sqlite3.Connection:
    """Return the connection made ready, or close it: a file must not be open when it is kept aside."""
    try:
        return ready(db)
    except BaseException:
        db.close()
        raise


def _keep_aside(path: Path) -> Path:
    """Rename the file and what SQLite keeps beside it; return its new path."""
    kept = path.with_name(f"{path.name}.corrupt-{time.time_ns()}")
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.replace(kept.with_name(kept.name + suffix))
    return kept


def _prepare(db: sqlite3.Connection) -> sqlite3.Connection:
    _checked(db)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")  # WAL: a power cut may cost the last second, never the file
    with db:
        db.executescript(_SCHEMA)
        db.execute(f"PRAGMA user_version = {FORMAT}")
    return db


def _checked(db: sqlite3.Connection) -> sqlite3.Connection:
    db.row_factory = sqlite3.Row
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > FORMAT:
        raise StoreError(
            f"the results were written by a newer DomTune (format {version}, this one knows {FORMAT})",
            hint="Update DomTune, or set DOMTUNE_HOME to another folder.",
        )
    return db
