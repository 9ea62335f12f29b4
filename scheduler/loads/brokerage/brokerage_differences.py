"""Report sentences: differences between the brokerage load and TPC-E."""

import math
import re
from collections.abc import Mapping

from scheduler.loads.brokerage import inputs, prices
from scheduler.loads.brokerage.size import ACCOUNTS, DAYS, TABLES, BrokerageSize, brokerage_size
from scheduler.loads.tables.table_dialects import TableDialect
from scheduler.loads.transaction_retry import MOST_REPEATS
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.translation import _

_MEGABYTES = 0.2  # per customer, with indexes and the growth of some minutes
"""Measured on PostgreSQL: 0.14 MB after loading, without the copies of tables, which no user reads."""


def difference_sentences(
    load: LoadSpec, dialect: TableDialect, facts: HostProperties, versions: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the differences from TPC-E, one sentence each, with values of the run.

    Args:
        load: The load with its parameters.
        dialect: Dialect of the database.
        facts: Properties of the host.
        versions: Name of a program or server setting to its version or value.
    """
    size = brokerage_size(load.values)
    reported = (
        _(
            "Brokerage-like: ten transactions with TPC-E's weights, an independent implementation. It is "
            "neither TPC-E nor "
            "DBT-5, nor comparable with published results."
        ),
        _(
            "The rate counts all committed transactions; TPC-E counts Trade-Results only. Trade-Results are "
            "about a tenth "
            "and are also reported per minute."
        ),
        _(
            "{count} tables of 33: addresses, companies, exchanges, sectors, taxes, charges, "
            "news, financials, permissions, settlements, requests and the history of holdings "
            "are dropped, or are columns of other tables."
        ).format(count=len(TABLES)),
        _mix_sentence(),
        _(
            "There is no market emulator: an order at the market's price goes into its own user's queue, a limit order "
            "into that of the user whose feed of prices reaches it. Trade-Result carries out the oldest one of "
            "its user's "
            "queue; where there is none, a Trade-Order runs instead and is counted as one."
        ),
        _("Prices are drawn evenly around each security's usual one. Data-Maintenance and Trade-Cleanup are excluded."),
        _(
            "By transactions reads are to writes as 76.9 to 23.1. The 9.7 to 1 that is published of TPC-E is "
            "the ratio of "
            "disk accesses in a trace, not of statements or transactions, and is neither aimed at nor claimed."
        ),
        _(
            "{customers:,} customers with {accounts} accounts and 200 trades each (TPC-E: 5,000 "
            "customers at least, 17,280 trades each), {securities:,} securities, {days} days of "
            "the market instead of 1,305."
        ).format(customers=size.customers, accounts=ACCOUNTS, securities=size.securities, days=DAYS),
        *_few_brokers_sentences(size),
        _("Customers are drawn by one uneven distribution (NURand), securities evenly, not by TPC-E's tiers."),
        _(
            "Each transaction is its statements, one by one, as text. Isolation is {isolation}; "
            "what the server asks to repeat is repeated with the same input, at most "
            "{most_repeats} times, and counted apart; then it is an error."
        ).format(isolation=_isolation_text(load), most_repeats=MOST_REPEATS),
        _("Each result changes the row of its broker, of which there are few: users wait for each other there."),
        _("Durability and buffers: {settings}.").format(settings=_settings_text(dialect, versions)),
        _(
            "Users do not think. The window is minutes, without a rule for checkpoints, tests of durability, "
            "and prices."
        ),
        _(
            "Before each block of trials all rows are restored as they were loaded; afterwards holdings, "
            "brokers, cash and "
            "history must agree, and the tables have grown by what users say they committed."
        ),
        _cache_sentence(size, versions),
        _client_cpu_sentence(facts),
    )
    return tuple(_("brokerage: {sentence}").format(sentence=sentence) for sentence in reported)


def _mix_sentence() -> str:
    weights = ", ".join(f"{many} {sort}" for sort, many in inputs.MIX.items())
    return _(
        "Transactions come from shuffled decks of 1,000: {weights}. One Trade-Order of 100 "
        "is rolled back, and not in the rate; {on_margin_percent} of 100 that buy are on "
        "margin."
    ).format(weights=weights, on_margin_percent=prices.ON_MARGIN_PERCENT)


def _few_brokers_sentences(size: BrokerageSize) -> tuple[str, ...]:
    least, most = min(size.brokers, inputs.FEWEST_BROKERS), size.brokers
    if most >= inputs.MOST_BROKERS:
        return ()
    asked = (
        _("{least} to {most} brokers").format(least=least, most=most)
        if least < most
        else _("all brokers, {most}").format(most=most)
    )
    return (
        _("Broker-Volume asks for {asked}, not {fewest_brokers} to {most_brokers}.").format(
            asked=asked, fewest_brokers=inputs.FEWEST_BROKERS, most_brokers=inputs.MOST_BROKERS
        ),
    )


def _isolation_text(load: LoadSpec) -> str:
    return _("{isolation} with locked rows, not SERIALIZABLE").format(
        isolation=str(load.values["isolation"]).replace("-", " ").upper()
    )


def _settings_text(dialect: TableDialect, versions: Mapping[str, str]) -> str:
    found = ", ".join(f"{name} {versions.get(name, 'unknown')}" for name in dialect.settings)
    driver = versions.get("users' driver", "")
    return _("{found}; users by {driver}").format(found=found, driver=driver) if driver and "innodb" in found else found


def _cache_sentence(size: BrokerageSize, versions: Mapping[str, str]) -> str:
    megabytes = math.ceil(_MEGABYTES * size.customers)
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
