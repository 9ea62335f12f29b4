"""The tables of the file with all runs, and how a file of an earlier version gets what it has not."""

import sqlite3

FORMAT = 1
"""PRAGMA user_version: one more refuses the file to earlier versions, which must not read it any more.

Columns that are only added leave it: earlier versions name the columns that they write, and overlook others that they
read. They show a deleted run until it is removed for good, and a run by its plan's name.
"""

_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, started_unix_s REAL NOT NULL, spec TEXT NOT NULL, facts TEXT NOT NULL,
    outcome TEXT, restored INTEGER, results TEXT, tags TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS documents (
    run_id TEXT NOT NULL, seq INTEGER NOT NULL, t_s REAL NOT NULL, tag TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)) WITHOUT ROWID;
"""
_ADDED = {"title": "TEXT NOT NULL DEFAULT ''", "note": "TEXT NOT NULL DEFAULT ''", "deleted_unix_s": "REAL"}
"""Columns of `runs` that came later, in their order."""


def lay_out(db: sqlite3.Connection) -> None:
    """Make what is missing of tables and columns; raises sqlite3.Error."""
    with db:
        db.executescript(_TABLES)
        db.execute(f"PRAGMA user_version = {FORMAT}")
    if not _missing(db):
        return
    with db:
        db.execute("BEGIN IMMEDIATE")  # of two that open an earlier file at once, one adds the columns
        for name in _missing(db):
            db.execute(f"ALTER TABLE runs ADD COLUMN {name} {_ADDED[name]}")


def _missing(db: sqlite3.Connection) -> list[str]:
    there = {row["name"] for row in db.execute("PRAGMA table_info(runs)")}
    return [name for name in _ADDED if name not in there]
