"""Texts about loads in the window: each load's own texts, translated if possible.

`translate` returns an unknown text unchanged. A load that is not listed here is shown with its own texts.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from scheduler.model.load_kind import LoadKind
from scheduler.model.load_kinds import LOAD_KINDS, find_load_kind, rate_unit
from scheduler.model.load_name import LoadName
from scheduler.model.split import GUEST_2, DomainId

TEXTS = (
    QT_TRANSLATE_NOOP("loads", "IR"),
    QT_TRANSLATE_NOOP("loads", "Engine"),
    QT_TRANSLATE_NOOP("loads", "Storage engine of the tables (MariaDB only)."),
    QT_TRANSLATE_NOOP("loads", "IR: information retrieval"),
    QT_TRANSLATE_NOOP("loads", "&IR: information retrieval"),
    QT_TRANSLATE_NOOP("loads", "Users read rows by key, without a pause."),
    QT_TRANSLATE_NOOP("loads", "1 user reads rows"),
    QT_TRANSLATE_NOOP("loads", "{n} users read rows"),
    QT_TRANSLATE_NOOP("loads", "OLTP"),
    QT_TRANSLATE_NOOP("loads", "OLTP: transactions"),
    QT_TRANSLATE_NOOP("loads", "OL&TP: transactions"),
    QT_TRANSLATE_NOOP("loads", "Users change rows and commit, without a pause."),
    QT_TRANSLATE_NOOP("loads", "1 user changes rows and commits"),
    QT_TRANSLATE_NOOP("loads", "{n} users change rows and commit"),
    QT_TRANSLATE_NOOP("loads", "TPC-B"),
    QT_TRANSLATE_NOOP("loads", "TPC-B-like, by pgbench"),
    QT_TRANSLATE_NOOP(
        "loads", "Users of PostgreSQL's pgbench move money between accounts and commit, without a pause."
    ),
    QT_TRANSLATE_NOOP("loads", "1 user of pgbench moves money and commits"),
    QT_TRANSLATE_NOOP("loads", "{n} users of pgbench move money and commit"),
    QT_TRANSLATE_NOOP("loads", "transactions/s"),
    QT_TRANSLATE_NOOP("loads", "Command"),
    QT_TRANSLATE_NOOP("loads", "Own command"),
    QT_TRANSLATE_NOOP(
        "loads",
        "Your program prints its rate, and DomTune cannot check it. The window does not run programs. Save "
        "the plan, then run domtune run PLAN --allow-command.",
    ),
    QT_TRANSLATE_NOOP("loads", "1 user of your command works"),
    QT_TRANSLATE_NOOP("loads", "{n} users of your command work"),
    QT_TRANSLATE_NOOP("loads", "operations/s"),
    QT_TRANSLATE_NOOP("loads", "Unit"),
    QT_TRANSLATE_NOOP("loads", "Unit of the rate, for example requests/s."),
    QT_TRANSLATE_NOOP("loads", "Orders"),
    QT_TRANSLATE_NOOP("loads", "Order entry, TPC-C-like"),
    QT_TRANSLATE_NOOP(
        "loads", "Users of a wholesaler enter orders and payments, deliver, and look up orders, without a pause."
    ),
    QT_TRANSLATE_NOOP("loads", "1 user takes orders and payments"),
    QT_TRANSLATE_NOOP("loads", "{n} users take orders and payments"),
    QT_TRANSLATE_NOOP("loads", "TPC-H"),
    QT_TRANSLATE_NOOP("loads", "TPC-H-like: 22 long queries"),
    QT_TRANSLATE_NOOP(
        "loads",
        "Users run the 22 queries of TPC-H one after the other, without a pause. A query takes milliseconds "
        "to minutes.",
    ),
    QT_TRANSLATE_NOOP("loads", "1 user runs long queries"),
    QT_TRANSLATE_NOOP("loads", "{n} users run long queries"),
    QT_TRANSLATE_NOOP("loads", "queries/s"),
    QT_TRANSLATE_NOOP("loads", "OLTP, by sysbench"),
    QT_TRANSLATE_NOOP("loads", "Users of sysbench run the transactions of a sysbench script, without a pause."),
    QT_TRANSLATE_NOOP("loads", "1 user runs OLTP transactions"),
    QT_TRANSLATE_NOOP("loads", "{n} users run OLTP transactions"),
    QT_TRANSLATE_NOOP("loads", "events/s"),
    QT_TRANSLATE_NOOP("loads", "Brokerage"),
    QT_TRANSLATE_NOOP("loads", "Brokerage mix, reduced"),
    QT_TRANSLATE_NOOP(
        "loads", "Users look up a brokerage's trades and prices, and order and carry out trades, without a pause."
    ),
    QT_TRANSLATE_NOOP("loads", "1 user looks up and trades"),
    QT_TRANSLATE_NOOP("loads", "{n} users look up and trade"),
    QT_TRANSLATE_NOOP("loads", "Bulk"),
    QT_TRANSLATE_NOOP("loads", "Bulk: many large rows"),
    QT_TRANSLATE_NOOP(
        "loads", "Users fetch some hundred large rows at a time, without a pause. This is work for the I/O domain."
    ),
    QT_TRANSLATE_NOOP("loads", "1 user fetches large rows"),
    QT_TRANSLATE_NOOP("loads", "{n} users fetch large rows"),
    QT_TRANSLATE_NOOP("loads", "Compute"),
    QT_TRANSLATE_NOOP("loads", "Compute: sums of generated rows"),
    QT_TRANSLATE_NOOP(
        "loads",
        "Users let the database add up generated rows, without a pause. This is work for the guest.",
    ),
    QT_TRANSLATE_NOOP("loads", "1 user has sums computed"),
    QT_TRANSLATE_NOOP("loads", "{n} users have sums computed"),
    QT_TRANSLATE_NOOP("loads", "tuples/s"),
    QT_TRANSLATE_NOOP("loads", "circles"),
    QT_TRANSLATE_NOOP("loads", "squares"),
    QT_TRANSLATE_NOOP("loads", "stars"),
    QT_TRANSLATE_NOOP("loads", "crosses"),
    QT_TRANSLATE_NOOP("loads", "diagonal crosses"),
    QT_TRANSLATE_NOOP("loads", "hourglasses"),
    QT_TRANSLATE_NOOP("loads", "wedges"),
    QT_TRANSLATE_NOOP("loads", "chevrons"),
    QT_TRANSLATE_NOOP("loads", "bars"),
    QT_TRANSLATE_NOOP("loads", "letters T"),
    QT_TRANSLATE_NOOP("loads", " or "),
)
"""Texts of DomTune's own load kinds, for translators."""

_WITH_KEY = {"osdb-ir": "&IR: information retrieval", "osdb-oltp": "OL&TP: transactions"}


def translate_load_text(text: object) -> str:
    """Return a text of a load, translated if possible."""
    return QCoreApplication.translate("loads", str(text))


def load_name(load: str) -> str:
    """Return the display name of a load (`IR`, `IR in noon`); its own name if unknown."""
    kind, mix = find_load_kind(load), LoadName.of(load).mix
    if kind is None:
        return load
    short = translate_load_text(kind.short)
    return QCoreApplication.translate("loads", "{load} in {mix}").format(load=short, mix=mix) if mix else short


def member_name(load: str, guest: DomainId | None) -> str:
    """Return the display name of a load, with its guest if there are two guests.

    Example: `IR of the second guest`.

    Args:
        load: Name of the load.
        guest: Guest whose database the users work on; None for a host with one guest.
    """
    name = load_name(load)
    if guest is None:
        return name
    text = (
        QCoreApplication.translate("loads", "{load} of the second guest")
        if guest == GUEST_2
        else QCoreApplication.translate("loads", "{load} of the guest")
    )
    return text.format(load=name)


class HasRate(Protocol):
    """Value of one load with a unit, or of several loads."""

    @property
    def load(self) -> str:
        """Name of the load's kind."""
        ...

    @property
    def unit(self) -> str:
        """Unit of the rates; empty in runs of earlier versions."""
        ...


def unit_of(kinds: Iterable[str], given: Mapping[str, str] = {}) -> str:
    """Return the unit of loads: `tuples/s`, or `tuples/s or orders/s` for two units.

    Args:
        kinds: Names of load kinds.
        given: Unit by kind from the plan; the load's own unit applies otherwise.
    """
    units = dict.fromkeys(translate_load_text(rate_unit([kind], given)) for kind in kinds)
    return translate_load_text(" or ").join(units) or translate_load_text(rate_unit(()))


def is_mixed(kinds: Iterable[str], given: Mapping[str, str] = {}) -> bool:
    """Return True when loads have different units and cannot share an axis of rates.

    Args:
        kinds: Names of load kinds.
        given: Unit by kind from the plan; the load's own unit applies otherwise.
    """
    return len({rate_unit([kind], given) for kind in kinds}) > 1


def unit_of_all(rated: Iterable[HasRate]) -> str:
    """Return the unit of several values, joined by `or` if the units differ."""
    units = dict.fromkeys(unit_of([each.load], {each.load: each.unit}) for each in rated)
    return translate_load_text(" or ").join(units) or unit_of(())


def card_title(kind: LoadKind) -> str:
    """Return the title of a load's card, with a mnemonic if one is free."""
    return translate_load_text(_WITH_KEY.get(kind.name, kind.title.replace("&", "&&")))


def users_sentence(kind: LoadKind) -> str:
    """Return the sentence about the users of a load."""
    return translate_load_text(kind.does)


def users_words(kind: str, users: int) -> str:
    """Return the activity of a number of users: `5 users read rows (IR)`.

    Args:
        kind: Load kind.
        users: Number of users, >= 1.
    """
    load = LOAD_KINDS[kind]
    return (
        f"{translate_load_text(load.one_user if users == 1 else load.many_users).format(n=users)} ({load_name(kind)})"
    )


def times_users(loads: Iterable[tuple[str, object]]) -> str:
    """Return loads with their numbers of users: `IR \N{MULTIPLICATION SIGN} 5, OLTP \N{MULTIPLICATION SIGN} 5`."""
    return ", ".join(f"{load_name(load)} \N{MULTIPLICATION SIGN} {users}" for load, users in loads)
