"""The tables of order entry on PostgreSQL, and its five transactions as functions of the server."""

from scheduler.loads.order_entry.functions import FUNCTIONS
from scheduler.loads.order_entry.order_entry_schema import OrderEntryDialect
from scheduler.loads.ownership_marker import CREATE_MARKED_SCHEMA

POSTGRESQL = OrderEntryDialect(
    begin=CREATE_MARKED_SCHEMA["postgresql"],
    moment="timestamp",
    finish=FUNCTIONS,
    settings=("fsync", "synchronous_commit", "full_page_writes", "shared_buffers"),
)
