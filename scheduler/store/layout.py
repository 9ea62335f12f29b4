"""Tables of the file with all runs.

`documents` holds the runs. `runs` holds labels, and a summary of each run's first and last document for lists.
`results` is a cache: everything in it can be derived from the documents again.
"""

import sqlite3

FORMAT = 3
"""PRAGMA user_version. A file of another format is not used: newer is refused, older is quarantined."""

_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, started_unix_s REAL NOT NULL, host_id TEXT NOT NULL, continues TEXT NOT NULL DEFAULT '',
    plan TEXT NOT NULL, outcome TEXT, restored INTEGER, title TEXT NOT NULL DEFAULT '', tags TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '', deleted_unix_s REAL, origin TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS runs_by_start ON runs (started_unix_s);
CREATE INDEX IF NOT EXISTS runs_by_predecessor ON runs (continues);
CREATE TABLE IF NOT EXISTS documents (
    run_id TEXT NOT NULL, seq INTEGER NOT NULL, t_s REAL NOT NULL, tag TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (run_id, seq)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS results (
    run_id TEXT PRIMARY KEY, rules INTEGER NOT NULL, answer TEXT NOT NULL, body TEXT NOT NULL);
"""


def create_tables(db: sqlite3.Connection) -> None:
    """Create the tables and indexes that are missing; raises sqlite3.Error."""
    with db:
        db.executescript(_TABLES)
        db.execute(f"PRAGMA user_version = {FORMAT}")
