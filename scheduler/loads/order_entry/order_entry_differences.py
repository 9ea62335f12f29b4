"""Report sentences: differences between the order entry load and TPC-C."""

import math
import re
from collections.abc import Mapping

from scheduler.loads.order_entry.size import OrderEntrySize, order_entry_size
from scheduler.loads.tables.table_dialects import TableDialect
from scheduler.loads.transaction_retry import MOST_REPEATS
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.translation import ngettext

_FULL = OrderEntrySize(1, 3000, 100_000)
_MEGABYTES = 130  # per warehouse, with its indexes and the growth of some minutes
"""Measured on PostgreSQL: 85 MB of rows."""


def difference_sentences(
    load: LoadSpec, dialect: TableDialect, facts: HostProperties, versions: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the differences from TPC-C, one sentence each, with values of the run.

    Args:
        load: The load with its parameters.
        dialect: Dialect of the database.
        facts: Properties of the host.
        versions: Name of a program or server setting to its version or value.
    """
    size = order_entry_size(load.values)
    reported = (
        "Not TPC-C: an independent implementation of its five transactions, neither audited nor comparable with "
        "published results.",
        "The rate counts all committed transactions, without undone orders. New orders per minute are reported next to "
        "the rate and are not tpmC.",
        "No terminals: users wait neither for keys nor to think, screens are not made up, a user stays at one "
        "warehouse and district.",
        f"{size.warehouses} {_warehouses_text(size)} asked for, not tied to the rate (TPC-C: at most 12.86 new orders "
        "per minute and warehouse).",
        "Transactions come from shuffled decks of 100: 45 new orders, 43 payments, 4 each of order status, delivery "
        "and stock level.",
        "Deliveries are not queued: ten districts are one transaction, whose user waits for it; two of one warehouse "
        "wait for each other.",
        "Items of an order differ from each other and are sorted, so that stocks are locked in one order; texts are "
        "pieces of one random text.",
        "A payment that is sent by statements changes its district and warehouse last, as others wait for these.",
        f"{_transport_sentence(load)} Isolation is {_isolation_text(load)}; what the server asks to "
        "repeat is repeated with the same "
        f"input, at most {MOST_REPEATS} times, and counted apart; then it is an error.",
        f"Durability and buffers: {_settings_text(dialect, versions)}.",
        *(
            ("Rows of the history are numbered, which is their key; TPC-C gives them none.",)
            if dialect.keys_first
            else ()
        ),
        "The window is minutes, not 8 hours, without a rule for checkpoints, without tests of durability, and without "
        "prices.",
        "Before each block of trials all rows are restored as they were loaded; afterwards the consistency conditions "
        "1 to 10 and 12 are checked (11 holds only after loading).",
        *_size_sentences(size),
        *_contention_sentences(load.users, size),
        _cache_sentence(size, versions),
        _client_cpu_sentence(facts),
    )
    return tuple(f"order-entry: {sentence}" for sentence in reported)


def _transport_sentence(load: LoadSpec) -> str:
    if load.dialect == "postgresql" and load.values["procedures"]:
        return (
            "Each transaction is a function of the server's, called in one round trip: the network, and so the I/O "
            "domain, has less to do than with statements."
        )
    stocks = "stocks of an order are changed by one statement, and a delivery's ten districts at once"
    return f"Each transaction is its statements, one by one, as text; {stocks}."


def _isolation_text(load: LoadSpec) -> str:
    name = str(load.values["isolation"]).replace("-", " ").upper()
    return name if name == "SERIALIZABLE" else f"{name} with locked rows, not SERIALIZABLE"


def _settings_text(dialect: TableDialect, versions: Mapping[str, str]) -> str:
    found = ", ".join(f"{name} {versions.get(name, 'unknown')}" for name in dialect.settings)
    driver = versions.get("users' driver", "")
    return f"{found}; users by {driver}" if driver and "innodb" in found else found


def _size_sentences(size: OrderEntrySize) -> tuple[str, ...]:
    if (size.customers, size.items) == (_FULL.customers, _FULL.items):
        return ()
    return (
        f"{size.customers:,} customers per district and {size.items:,} items, not {_FULL.customers:,} and "
        f"{_FULL.items:,}; {size.last_names:,} last names.",
    )


def _contention_sentences(users: int, size: OrderEntrySize) -> tuple[str, ...]:
    if users <= size.warehouses:
        return ()
    return (
        f"{users} users share {size.warehouses} {_warehouses_text(size)}: every payment "
        "changes its warehouse's row, so they wait for each other, and locks limit the figure too.",
    )


def _warehouses_text(size: OrderEntrySize) -> str:
    return ngettext("warehouse", "warehouses", size.warehouses)


def _cache_sentence(size: OrderEntrySize, versions: Mapping[str, str]) -> str:
    part = (size.customers / _FULL.customers + size.items / _FULL.items) / 2
    megabytes = math.ceil(_MEGABYTES * size.warehouses * part)
    pool = versions.get("innodb_buffer_pool_size", "")
    pool_megabytes = int(pool) / 1e6 if re.fullmatch("[0-9]{1,15}", pool) else math.inf
    if megabytes > pool_megabytes:
        return (
            f"The tables, about {megabytes} MB, may be more than InnoDB's buffers of {pool_megabytes:.0f} MB, below "
            "which there is no page cache: rows may come from the disk."
        )
    return f"The tables, about {megabytes} MB, are small enough for the memory: all data are cached."


def _client_cpu_sentence(facts: HostProperties) -> str:
    if not facts.client_cpus:
        return "The users are not confined to CPUs of their own."
    return f"The users run on CPU {format_cpu_list(facts.client_cpus)}."
