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
from scheduler.translation import _, ngettext

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
        _(
            "Not TPC-C: an independent implementation of its five transactions, neither audited nor comparable with "
            "published results."
        ),
        _(
            "The rate counts all committed transactions, without undone orders. New orders per minute are "
            "reported next to "
            "the rate and are not tpmC."
        ),
        _(
            "No terminals: users wait neither for keys nor to think, screens are not made up, a user stays at one "
            "warehouse and district."
        ),
        _(
            "{warehouses} {warehouses_2} asked for, not tied to the rate (TPC-C: at most 12.86 "
            "new orders per minute and warehouse)."
        ).format(warehouses=size.warehouses, warehouses_2=_warehouses_text(size)),
        _(
            "Transactions come from shuffled decks of 100: 45 new orders, 43 payments, 4 each of order status, "
            "delivery "
            "and stock level."
        ),
        _(
            "Deliveries are not queued: ten districts are one transaction, whose user waits for it; two of one "
            "warehouse "
            "wait for each other."
        ),
        _(
            "Items of an order differ from each other and are sorted, so that stocks are locked in one order; "
            "texts are "
            "pieces of one random text."
        ),
        _("A payment that is sent by statements changes its district and warehouse last, as others wait for these."),
        _(
            "{transport_sentence} Isolation is {isolation}; what the server asks to repeat is "
            "repeated with the same input, at most {most_repeats} times, and counted apart; then "
            "it is an error."
        ).format(
            transport_sentence=_transport_sentence(load), isolation=_isolation_text(load), most_repeats=MOST_REPEATS
        ),
        _("Durability and buffers: {settings}.").format(settings=_settings_text(dialect, versions)),
        *(
            (_("Rows of the history are numbered, which is their key; TPC-C gives them none."),)
            if dialect.keys_first
            else ()
        ),
        _(
            "The window is minutes, not 8 hours, without a rule for checkpoints, without tests of durability, "
            "and without "
            "prices."
        ),
        _(
            "Before each block of trials all rows are restored as they were loaded; afterwards the consistency "
            "conditions "
            "1 to 10 and 12 are checked (11 holds only after loading)."
        ),
        *_size_sentences(size),
        *_contention_sentences(load.users, size),
        _cache_sentence(size, versions),
        _client_cpu_sentence(facts),
    )
    return tuple(f"order-entry: {sentence}" for sentence in reported)


def _transport_sentence(load: LoadSpec) -> str:
    if load.dialect == "postgresql" and load.values["procedures"]:
        return _(
            "Each transaction is a function of the server's, called in one round trip: the network, and so the I/O "
            "domain, has less to do than with statements."
        )
    stocks = _("stocks of an order are changed by one statement, and a delivery's ten districts at once")
    return _("Each transaction is its statements, one by one, as text; {stocks}.").format(stocks=stocks)


def _isolation_text(load: LoadSpec) -> str:
    name = str(load.values["isolation"]).replace("-", " ").upper()
    return name if name == "SERIALIZABLE" else _("{name} with locked rows, not SERIALIZABLE").format(name=name)


def _settings_text(dialect: TableDialect, versions: Mapping[str, str]) -> str:
    found = ", ".join(f"{name} {versions.get(name, 'unknown')}" for name in dialect.settings)
    driver = versions.get("users' driver", "")
    return _("{found}; users by {driver}").format(found=found, driver=driver) if driver and "innodb" in found else found


def _size_sentences(size: OrderEntrySize) -> tuple[str, ...]:
    if (size.customers, size.items) == (_FULL.customers, _FULL.items):
        return ()
    return (
        _(
            "{customers:,} customers per district and {size:,} items, not {customers_2:,} and "
            "{full:,}; {last_names:,} last names."
        ).format(
            customers=size.customers,
            size=size.items,
            customers_2=_FULL.customers,
            full=_FULL.items,
            last_names=size.last_names,
        ),
    )


def _contention_sentences(users: int, size: OrderEntrySize) -> tuple[str, ...]:
    if users <= size.warehouses:
        return ()
    return (
        _(
            "{users} users share {warehouses} {warehouses_2}: every payment changes its "
            "warehouse's row, so they wait for each other, and locks limit the figure too."
        ).format(users=users, warehouses=size.warehouses, warehouses_2=_warehouses_text(size)),
    )


def _warehouses_text(size: OrderEntrySize) -> str:
    return ngettext("warehouse", "warehouses", size.warehouses)


def _cache_sentence(size: OrderEntrySize, versions: Mapping[str, str]) -> str:
    part = (size.customers / _FULL.customers + size.items / _FULL.items) / 2
    megabytes = math.ceil(_MEGABYTES * size.warehouses * part)
    pool = versions.get("innodb_buffer_pool_size", "")
    pool_megabytes = int(pool) / 1e6 if re.fullmatch("[0-9]{1,15}", pool) else math.inf
    if megabytes > pool_megabytes:
        return _(
            "The tables, about {megabytes} MB, may be more than InnoDB's buffers of "
            "{pool_megabytes:.0f} MB, below which there is no page cache: rows may come from the "
            "disk."
        ).format(megabytes=megabytes, pool_megabytes=pool_megabytes)
    return _("The tables, about {megabytes} MB, are small enough for the memory: all data are cached.").format(
        megabytes=megabytes
    )


def _client_cpu_sentence(facts: HostProperties) -> str:
    if not facts.client_cpus:
        return _("The users are not confined to CPUs of their own.")
    return _("The users run on CPU {client_cpus}.").format(client_cpus=format_cpu_list(facts.client_cpus))
