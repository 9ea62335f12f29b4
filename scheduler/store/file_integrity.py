"""Checks that the file with all runs is undamaged, in a few seconds at most."""

import sqlite3
import threading
import time
from pathlib import Path

from scheduler.errors import StoreError
from scheduler.translation import _

MOST_STATEMENT_S = 20.0
"""Seconds that a statement may take: a list of 60,000 runs takes one."""

_STEPS = 100_000  # of SQLite's machine between two looks at the clock: some milliseconds
_CODE = "SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger') OR upper(sql) LIKE 'CREATE VIRTUAL%' LIMIT 1"
_LONGEST_S = 5.0  # a gigabyte takes about a second; a sweep must not wait for more
# SQLITE_ERROR: "unsupported file format", "no such column": our own statements are right, as every test shows.
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR})
_VERSIONS = slice(18, 20)  # in the header: how to write and to read it (SQLite, "Database File Format")
_COLUMNS = (
    "SELECT run_id, started_unix_s, host_id, continues, plan, outcome, restored, title, tags, note, deleted_unix_s, "
    "origin FROM runs LIMIT 0",
    "SELECT run_id, seq, t_s, tag, body FROM documents LIMIT 0",
    "SELECT run_id, rules, answer, body FROM results LIMIT 0",
)


class DamagedFile(Exception):
    """Error: the content of the file is not as DomTune wrote it."""


def is_damage(error: Exception) -> bool:
    """Return True when an error means damage, not a full disk or a file in use."""
    if isinstance(error, DamagedFile | UnicodeError):  # what SQLite quotes of a damaged schema need not be text
        return True
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.Error) and code is not None and code & 0xFF in _DAMAGE


def check_pages(db: sqlite3.Connection) -> None:
    """Read every page, for 5 s at most; raise DamagedFile, sqlite3.Error."""
    end = threading.Timer(_LONGEST_S, db.interrupt)  # noqa: TID251 - before the sweep; SQLite knows no time limit
    end.start()
    try:
        rows = db.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        return  # nothing bad in what was looked at
    finally:
        end.cancel()
        end.join()
    said = str(rows[0][0]) if rows else _("no answer")
    if said != "ok":
        raise DamagedFile(" ".join(said.split()))


def check_header(path: Path) -> None:
    """Check that this SQLite may write to the file; raise DamagedFile.

    SQLite itself would report a read-only file only. Call this before the file is opened: closing a second descriptor
    drops the locks of the first (fcntl(2)).
    """
    with path.open("rb") as file:
        versions = file.read(_VERSIONS.stop)[_VERSIONS]
    if set(versions) - {1, 2}:
        raise DamagedFile(_("its header names format {versions}").format(versions=versions.hex(" ")))


def check_columns(db: sqlite3.Connection) -> None:
    """Check that the tables have DomTune's columns; raise sqlite3.Error."""
    for statement in _COLUMNS:
        db.execute(statement)


def refuse_code(db: sqlite3.Connection) -> None:
    """Refuse a file with views, triggers or virtual tables.

    DomTune's file has none, and SQLite would run them when they are read or written.

    Raises:
        StoreError: The file has one. It is left where it is.
        sqlite3.Error: The file cannot be read.
    """
    odd = db.execute(_CODE).fetchone()
    if odd is not None:
        raise StoreError(
            _("the file of results holds a view, a trigger or a virtual table, which DomTune did not make"),
            hint=_("Where does the file come from? Move it away, or set DOMTUNE_HOME to another folder."),
        )


class StatementLimit:
    """Time limit that ends a statement of a connection.

    A manipulated file may hold content for which a statement never ends.

    Args:
        db: The connection.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._deadline_s = 0.0
        self.restart()
        db.set_progress_handler(lambda: time.monotonic() > self._deadline_s, _STEPS)

    def restart(self) -> None:
        """Give the next statement its whole time."""
        self._deadline_s = time.monotonic() + MOST_STATEMENT_S
