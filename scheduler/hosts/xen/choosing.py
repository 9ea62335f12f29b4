"""Which of a host's domains play the two roles, or the three of a study of two guests."""

from collections.abc import Sequence

from scheduler.errors import HostNotUsable
from scheduler.hosts.xen.setup import NO_UUID
from scheduler.hosts.xen.tables import DomainRow

_DOM0 = 0


def choose(rows: Sequence[DomainRow], io_name: str, guest_name: str, where: str) -> tuple[DomainRow, DomainRow]:
    """Return the I/O domain and the guest.

    Args:
        rows: The running domains.
        io_name: The plan's name of the I/O domain; empty for Dom0.
        guest_name: The plan's name of the guest; empty where there is only one.
        where: The host, for messages.

    Raises:
        HostNotUsable: No such domain, several of that name, none was named and there is a choice, or it has no UUID.
    """
    io, guest = _pair(rows, io_name, guest_name, where)
    for row in (io, guest):
        _refuse_nameless(row, where)
    return io, guest


def second_of(rows: Sequence[DomainRow], others: Sequence[DomainRow], name: str, where: str) -> DomainRow:
    """Return the second guest.

    Args:
        rows: The running domains.
        others: The I/O domain and the guest.
        name: The plan's name of it; empty where only one can be it.
        where: The host, for messages.

    Raises:
        HostNotUsable: As of `choose`, or it is one of the others.
    """
    able = seconds(rows, others)
    names = ", ".join(repr(row.name) for row in able)
    if name:
        found = _named(rows, name, where)
        if found not in able:
            hint = f"Name one of {names}." if able else "Start the guest with the second database, then try again."
            raise HostNotUsable(f"{where}: {found.name!r} cannot be the second guest, too", hint=hint)
    elif len(able) == 1:
        found = able[0]
    elif able:
        raise HostNotUsable(
            f"{where}: {len(able)} guests could be the second one: {names}",
            hint='Say which one runs the second database: guest_2 = "NAME" under [domains] in the plan.',
        ).choose_from(row.name for row in able)
    else:
        hint = "Start the guest with the second database, then try again."
        raise HostNotUsable(f"{where}: no second guest runs there", hint=hint)
    _refuse_nameless(found, where)
    return found


def seconds(rows: Sequence[DomainRow], others: Sequence[DomainRow]) -> list[DomainRow]:
    """Return the running domains that could be the second guest: all but Dom0 and the `others`."""
    taken = {_DOM0, *(row.domid for row in others)}
    return [row for row in rows if row.domid not in taken]


def _refuse_nameless(row: DomainRow, where: str) -> None:
    # Dom0 has its number for ever. Any other one is found by UUID, and zeros would be taken for Dom0's.
    if row.domid != _DOM0 and row.uuid in {"", NO_UUID}:
        raise HostNotUsable(
            f"{where}: {row.name!r} (number {row.domid}) has no UUID by which it could be found and put back",
            hint="Choose another domain. Where only xm is installed, this account must be able to read xenstore.",
        )


def _pair(rows: Sequence[DomainRow], io_name: str, guest_name: str, where: str) -> tuple[DomainRow, DomainRow]:
    io = _named(rows, io_name, where) if io_name else _dom0(rows, where)
    others = [row for row in rows if row.domid not in {io.domid, _DOM0}]
    if guest_name:
        guest = _named(rows, guest_name, where)
        if guest.domid == io.domid:
            raise HostNotUsable(f"{where}: {guest_name!r} cannot be both domains", hint="Name another guest.")
        return io, guest
    if len(others) == 1:
        return io, others[0]
    if not others:
        raise HostNotUsable(f"{where}: no guest runs there", hint="Start the guest with the database, then try again.")
    names = ", ".join(repr(row.name) for row in others)
    raise HostNotUsable(
        f"{where}: {len(others)} guests run there: {names}",
        hint='Say which one runs the database: guest = "NAME" under [domains] in the plan.',
    ).choose_from(row.name for row in others)


def _dom0(rows: Sequence[DomainRow], where: str) -> DomainRow:
    for row in rows:
        if row.domid == _DOM0:
            return row
    raise HostNotUsable(f"{where}: the toolstack lists no Domain-0", hint="Is this a Xen host, and are we root?")


def _named(rows: Sequence[DomainRow], name: str, where: str) -> DomainRow:
    found = [row for row in rows if name in (row.name, row.uuid)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(repr(row.name) for row in rows)
    problem = f"no domain {name!r} runs there" if not found else f"{len(found)} domains are called {name!r}"
    raise HostNotUsable(f"{where}: {problem}", hint=f"Running: {names}.")
