"""The tables of order entry on PostgreSQL, and its five transactions as functions of the server."""

from scheduler.loads.marking import BEGINNING
from scheduler.loads.order_entry.functions import FUNCTIONS
from scheduler.loads.order_entry.schema import Dialect

POSTGRESQL = Dialect(
    begin=BEGINNING["postgresql"],
    moment="timestamp",
    finish=FUNCTIONS,
    settings=("fsync", "synchronous_commit", "full_page_writes", "shared_buffers"),
)
