"""The tables of order entry on PostgreSQL, and its five transactions as functions of the server."""

from scheduler.loads.order_entry.functions import FUNCTIONS
from scheduler.loads.order_entry.schema import Dialect

POSTGRESQL = Dialect(
    begin=(
        "CREATE SCHEMA IF NOT EXISTS {schema}",
        "CREATE TABLE IF NOT EXISTS @.domtune_marker (name text PRIMARY KEY, value text NOT NULL)",
        "INSERT INTO @.domtune_marker VALUES ('tool', 'domtune') ON CONFLICT DO NOTHING",
    ),
    moment="timestamp",
    finish=FUNCTIONS,
    settings=("fsync", "synchronous_commit", "full_page_writes", "shared_buffers"),
)
