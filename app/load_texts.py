"""Texts about loads in the window: each load's own texts, translated if possible.

`translate` returns an unknown text unchanged. A load that is not listed here is shown with its own texts.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from scheduler.model.load_kind import LoadKind
from scheduler.model.load_kinds import LOAD_KINDS, find_load_kind, rate_unit
from scheduler.model.load_name import LoadName
from scheduler.model.split import GUEST_2, DomainId
from scheduler.translation import _

_WITH_KEY = {"osdb-ir": _("&IR: information retrieval"), "osdb-oltp": _("OL&TP: transactions")}


def load_name(load: str) -> str:
    """Return the display name of a load (`IR`, `IR in noon`); its own name if unknown."""
    kind, mix = find_load_kind(load), LoadName.of(load).mix
    if kind is None:
        return load
    short = kind.short
    return _("{load} in {mix}").format(load=short, mix=mix) if mix else short


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
    text = _("{load} of the second guest") if guest == GUEST_2 else _("{load} of the guest")
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
    units = dict.fromkeys(rate_unit([kind], given) for kind in kinds)
    return f" {_('or')} ".join(units) or rate_unit(())


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
    return f" {_('or')} ".join(units) or unit_of(())


def card_title(kind: LoadKind) -> str:
    """Return the title of a load's card, with a mnemonic if one is free."""
    return _WITH_KEY.get(kind.name, kind.title.replace("&", "&&"))


def users_sentence(kind: LoadKind) -> str:
    """Return the sentence about the users of a load."""
    return kind.does


def users_words(kind: str, users: int) -> str:
    """Return the activity of a number of users: `5 users read rows (IR)`.

    Args:
        kind: Load kind.
        users: Number of users, >= 1.
    """
    load = LOAD_KINDS[kind]
    return f"{(load.one_user if users == 1 else load.many_users).format(n=users)} ({load_name(kind)})"


def times_users(loads: Iterable[tuple[str, object]]) -> str:
    """Return loads with their numbers of users: `IR \N{MULTIPLICATION SIGN} 5, OLTP \N{MULTIPLICATION SIGN} 5`."""
    return ", ".join(f"{load_name(load)} \N{MULTIPLICATION SIGN} {users}" for load, users in loads)
