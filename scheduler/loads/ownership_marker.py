"""How a schema of ours is begun on each kind of database: with the marker that says whose it is (see `ours.py`)."""

from collections.abc import Mapping

_TEXT = "CHARACTER SET latin1 COLLATE latin1_bin"  # texts compare by their bytes, as on PostgreSQL

CREATE_MARKED_SCHEMA: Mapping[str, tuple[str, ...]] = {
    "postgresql": (
        "CREATE SCHEMA IF NOT EXISTS {schema}",
        "CREATE TABLE IF NOT EXISTS @.domtune_marker (name text PRIMARY KEY, value text NOT NULL)",
        "INSERT INTO @.domtune_marker VALUES ('tool', 'domtune') ON CONFLICT DO NOTHING",
    ),
    "mariadb": (
        f"CREATE DATABASE IF NOT EXISTS {{schema}} {_TEXT}",
        # One statement, for no crash to part the table from the row that says whose it is.
        "CREATE TABLE IF NOT EXISTS @.domtune_marker (name VARCHAR(40) PRIMARY KEY, value VARCHAR(100) NOT NULL)"
        f" {_TEXT} ENGINE=InnoDB SELECT 'tool' AS name, 'domtune' AS value",
    ),
}
"""Statements by the database's name, where they are not carried out yet; `@.` and `{schema}` stand for the schema."""
