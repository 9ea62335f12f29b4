"""Choice of the I/O domain, the guest and the second guest on a host."""

from collections.abc import Sequence

from scheduler.errors import HostNotUsable
from scheduler.hosts.xen.xen_setup import NO_UUID
from scheduler.hosts.xen.xl_tables import DomainRow
from scheduler.model.sentence_texts import list_names
from scheduler.translation import _

_DOM0 = 0
_STUB = "-dm"
_MOST_NAMES = 5
_NO_UTF8 = "\N{REPLACEMENT CHARACTER}"  # the shells replace bytes that are not UTF-8 by this character


def choose_domains(
    rows: Sequence[DomainRow], io_name: str, guest_name: str, where: str, *, unfit: bool = False
) -> tuple[DomainRow, DomainRow]:
    """Return the I/O domain and the guest.

    Args:
        rows: The running domains.
        io_name: The plan's name of the I/O domain; empty for Dom0.
        guest_name: The plan's name of the guest; empty where only one exists.
        where: The host, for messages.
        unfit: Accept a paused domain: the domains of a running follow may be paused for a moment.

    Raises:
        HostNotUsable: No domain has the name, several have, or the choice is open. Or the domain has no UUID, or is
            paused, shut down, crashed or dying.
    """
    io, guest = _choose_pair(rows, io_name, guest_name, where)
    for row in (io, guest):
        _refuse_nameless(row, where)
        if not unfit:
            _refuse_unfit(row, where)
    return io, guest


def choose_second_guest(rows: Sequence[DomainRow], others: Sequence[DomainRow], name: str, where: str) -> DomainRow:
    """Return the second guest.

    Args:
        rows: The running domains.
        others: The I/O domain and the guest.
        name: The plan's name of the second guest; empty where only one domain can be the second guest.
        where: The host, for messages.

    Raises:
        HostNotUsable: As in `choose_domains`, or the domain already has another role.
    """
    able = list_second_guests(rows, others)
    words = describe_choices(able, rows)
    names = list_names(words)
    if name:
        found = _find_named(rows, name, where)
        if found not in able:
            hint = (
                _("Name one of {names}.").format(names=names)
                if able
                else _("Start the guest with the second database, then try again.")
            )
            raise HostNotUsable(
                _("{where}: {found!r} cannot also be the second guest").format(where=where, found=found.name), hint=hint
            )
        _refuse_unfit(found, where)
    elif len(able) == 1:
        found = able[0]
    elif able:
        raise HostNotUsable(
            _("{where}: {count} guests could be the second one: {names}").format(
                where=where, count=len(able), names=names
            ),
            hint=_('Name the guest with the second database: guest_2 = "NAME" under [domains] in the plan.'),
        ).choose_from(choice_keys(able, rows))
    else:
        hint = _("Start the guest with the second database, then try again.")
        raise HostNotUsable(_("{where}: no second guest runs there").format(where=where), hint=hint)
    _refuse_nameless(found, where)
    return found


def list_second_guests(rows: Sequence[DomainRow], others: Sequence[DomainRow]) -> list[DomainRow]:
    """Return the running domains that could be the second guest.

    Dom0, stub domains and the `others` are excluded.

    Args:
        rows: The running domains.
        others: The I/O domain and the guest.
    """
    taken = {_DOM0, *(row.domid for row in others)}
    return [row for row in list_guests(rows) if row.domid not in taken]


def list_guests(rows: Sequence[DomainRow]) -> list[DomainRow]:
    """Return the domains that can run a database.

    Dom0, stub domains, and domains that are shut down or dying are excluded.
    """
    return [
        row
        for row in rows
        if row.domid != _DOM0 and row.condition in {"", "paused"} and find_stub_owner(row, rows) is None
    ]


def find_stub_owner(row: DomainRow, rows: Sequence[DomainRow]) -> DomainRow | None:
    """Return the guest whose devices a stub domain emulates; None for other domains.

    libxl calls the stub domain of NAME `NAME-dm` (libxl_dm.c, libxl__stub_dm_name).

    Args:
        row: The domain.
        rows: The running domains.
    """
    if not row.name.endswith(_STUB):
        return None
    owner = row.name.removesuffix(_STUB)
    return next((each for each in rows if each.name == owner and each.domid != _DOM0), None)


def describe_choices(choices: Sequence[DomainRow], rows: Sequence[DomainRow]) -> list[str]:
    """Return a label for each choice: its name, and its UUID if necessary.

    Args:
        choices: The domains to label.
        rows: The running domains.
    """
    return [
        repr(row.name) if key == row.name else f"{row.name!r} (UUID {row.uuid})"
        for row, key in zip(choices, choice_keys(choices, rows), strict=True)
    ]


def choice_keys(choices: Sequence[DomainRow], rows: Sequence[DomainRow]) -> list[str]:
    """Return the key of each choice: the name, or the UUID.

    The UUID replaces a name that several domains have or that cannot be typed.

    Args:
        choices: The domains.
        rows: The running domains.
    """
    names = [row.name for row in rows]
    return [row.name if names.count(row.name) == 1 and _is_typeable(row.name) else row.uuid for row in choices]


def _is_typeable(name: str) -> bool:
    return name.isprintable() and _NO_UTF8 not in name


def _refuse_nameless(row: DomainRow, where: str) -> None:
    # Dom0 always has number 0. Other domains are found by UUID, and zeros would match Dom0.
    if row.domid != _DOM0 and row.uuid in {"", NO_UUID}:
        raise HostNotUsable(
            _("{where}: {row!r} (number {domid}) has no UUID, which DomTune needs to restore the domain").format(
                where=where, row=row.name, domid=row.domid
            ),
            hint=_("Choose another domain. If only xm is installed, this account must be able to read xenstore."),
        )


def _refuse_unfit(row: DomainRow, where: str) -> None:
    """Refuse a domain that cannot run now; raise HostNotUsable."""
    if row.condition:
        unpause = f"xl unpause {row.domid}"
        hint = (
            _("Let it run: {unpause}.").format(unpause=unpause)
            if row.condition == "paused"
            else _("Start it again, or choose another domain.")
        )
        raise HostNotUsable(
            _("{where}: {row!r} (number {domid}) is {condition}: it uses no CPU time to be measured").format(
                where=where, row=row.name, domid=row.domid, condition=row.condition
            ),
            hint=hint,
        )


def _choose_pair(rows: Sequence[DomainRow], io_name: str, guest_name: str, where: str) -> tuple[DomainRow, DomainRow]:
    io = _find_named(rows, io_name, where) if io_name else _find_dom0(rows, where)
    if guest_name:
        guest = _find_named(rows, guest_name, where)
        if guest.domid == io.domid:
            raise HostNotUsable(
                _("{where}: {guest!r} cannot be both domains").format(where=where, guest=guest_name),
                hint=_("Name another guest."),
            )
        _refuse_stub(guest, guest_name, rows, where)
        return io, guest
    others = [row for row in list_guests(rows) if row.domid != io.domid]
    running = [row for row in others if not row.condition]
    others = running or others
    if len(others) == 1:
        return io, others[0]
    if not others:
        unfit = [
            _("{row!r} is {condition}").format(row=row.name, condition=row.condition)
            for row in rows
            if row.domid != _DOM0 and row.condition
        ]
        found = f" ({'; '.join(unfit[:_MOST_NAMES])})" if unfit else ""
        hint = _("Start the guest with the database, then try again.")
        raise HostNotUsable(_("{where}: no guest runs there{found}").format(where=where, found=found), hint=hint)
    raise HostNotUsable(
        _("{where}: {count} guests run there: {choices}").format(
            where=where, count=len(others), choices=list_names(describe_choices(others, rows))
        ),
        hint=_('Name the guest with the database: --guest NAME, or guest = "NAME" under [domains] in the plan.'),
    ).choose_from(choice_keys(others, rows))


def _refuse_stub(guest: DomainRow, given: str, rows: Sequence[DomainRow], where: str) -> None:
    """Refuse a stub domain as the guest unless named by UUID; raise HostNotUsable."""
    owner = find_stub_owner(guest, rows)
    if owner is not None and given != guest.uuid:
        raise HostNotUsable(
            _("{where}: {guest!r} is the stub domain that emulates the devices of {owner!r}").format(
                where=where, guest=guest.name, owner=owner.name
            ),
            hint=_("Name {owner!r}. If {guest!r} is a separate guest, give its UUID: {uuid}.").format(
                owner=owner.name, guest=guest.name, uuid=guest.uuid
            ),
        )


def _find_dom0(rows: Sequence[DomainRow], where: str) -> DomainRow:
    for row in rows:
        if row.domid == _DOM0:
            return row
    raise HostNotUsable(
        _("{where}: the toolstack lists no Domain-0").format(where=where),
        hint=_("Is this a Xen host, and are we root?"),
    )


def _find_named(rows: Sequence[DomainRow], name: str, where: str) -> DomainRow:
    found = [row for row in rows if name in (row.name, row.uuid)]
    found = [row for row in found if row.condition != "dying"] or found
    if len(found) == 1:
        return found[0]
    if found:
        problem = _("{count} domains are called {name!r}").format(count=len(found), name=name)
        raise HostNotUsable(
            _("{where}: {problem}: {list_names}").format(
                where=where,
                problem=problem,
                list_names=list_names(
                    _("number {domid} (UUID {uuid})").format(domid=row.domid, uuid=row.uuid) for row in found
                ),
            ),
            hint=_("Name the domain by its UUID."),
        ).choose_from(row.uuid for row in found)
    names = list_names(describe_choices(rows, rows)) or "none"
    raise HostNotUsable(
        _("{where}: no domain {name!r} runs there").format(where=where, name=name),
        hint=_("Running: {names}.").format(names=names),
    )
