"""Choice of the two sides of a sweep on a libvirt host."""

from collections.abc import Sequence

import msgspec

from scheduler.errors import HostNotUsable, SpecError
from scheduler.hosts.libvirt.worker_answers import ListedDomain
from scheduler.model.sentence_texts import list_names
from scheduler.toolstacks.virsh import IoSide
from scheduler.translation import _


class DomainPair(msgspec.Struct, frozen=True):
    """The two sides of a sweep by UUID, since names may change.

    Attributes:
        io: UUID of the I/O domain; the guest's own UUID for its emulator.
        guest: UUID of the guest.
        side: The kind of the I/O side.
    """

    io: str
    guest: str
    side: IoSide


# A domain of this name is the I/O domain if the plan names none.
_OBVIOUS_IO = ("Domain-0", "io")


def choose_pair(driver: str, domains: Sequence[ListedDomain], io_name: str, guest_name: str) -> DomainPair:
    """Return the pair by name or UUID, or the only possible pair.

    Args:
        driver: `qemu`, `lxc`, `xen` or `test`.
        domains: All domains of the host.
        io_name: The plan's name of the I/O domain; `emulator` or empty for QEMU's emulator.
        guest_name: The plan's name of the guest; empty when only one domain can be the guest.

    Raises:
        SpecError: A name matches no running domain, or the choice is open.
        HostNotUsable: The host has no running domain to sweep.
    """
    running = [domain for domain in domains if domain.active]
    if not running:
        raise HostNotUsable(_("no domain runs on this host"), hint=_("Start the guest, then try again."))
    io = (
        _require_domain("domains.io", io_name, domains)
        if io_name not in ("", IoSide.EMULATOR)
        else _find_by_name(running, io_name)
    )
    io = io or _find_obvious_io(driver, running, io_name)
    guest = _require_domain("domains.guest", guest_name, domains) if guest_name else _require_only_guest(running, io)
    if io is None and driver == "qemu":
        return DomainPair(io=guest.uuid, guest=guest.uuid, side=IoSide.EMULATOR)
    if io is None:
        raise _ambiguous_domain_error("domains.io", _explain_missing_io(driver), running, without=guest)
    if io.uuid == guest.uuid:
        raise _ambiguous_domain_error(
            "domains", _("{guest!r} cannot be both").format(guest=guest.name), running, without=guest
        )
    return DomainPair(io=io.uuid, guest=guest.uuid, side=IoSide.DOMAIN)


def _find_by_name(running: Sequence[ListedDomain], name: str) -> ListedDomain | None:
    """Return the running domain of a name, even if the name is `emulator`."""
    return next((domain for domain in running if name and domain.name == name), None)


def _find_obvious_io(driver: str, running: Sequence[ListedDomain], io_name: str) -> ListedDomain | None:
    if io_name or driver == "qemu":
        return None
    return next((domain for name in _OBVIOUS_IO for domain in running if domain.name == name), None)


def _require_domain(field: str, name: str, domains: Sequence[ListedDomain]) -> ListedDomain:
    found = next((domain for domain in domains if name in (domain.name, domain.uuid)), None)
    if found is None:
        raise _ambiguous_domain_error(
            field, _("there is no domain {name!r}").format(name=name), [domain for domain in domains if domain.active]
        )
    if not found.active:
        raise SpecError(
            field, _("the domain {name!r} is not running").format(name=name), hint=_("Start it, or name another.")
        )
    return found


def _require_only_guest(running: Sequence[ListedDomain], io: ListedDomain | None) -> ListedDomain:
    others = [domain for domain in running if io is None or domain.uuid != io.uuid]
    if len(others) == 1:
        return others[0]
    if not others:
        text = _("only {running!r} runs on this host").format(running=running[0].name)
        raise HostNotUsable(text, hint=_("A sweep needs a second domain that holds the database."))
    text = _("the host runs several domains; name the one with the database")
    raise _ambiguous_domain_error("domains.guest", text, others)


def _explain_missing_io(driver: str) -> str:
    if driver == "lxc":
        return _("a container has no own I/O side; name the domain that the traffic of the database passes through")
    return _("name the I/O domain: the one that the database's traffic passes through")


def _ambiguous_domain_error(
    field: str, text: str, running: Sequence[ListedDomain], *, without: ListedDomain | None = None
) -> SpecError:
    """Return an error with the domains to choose from, sorted by name."""
    names = sorted(domain.name for domain in running if without is None or domain.uuid != without.uuid)
    hint = (
        _("Running: {names}.").format(names=list_names(map(repr, names))) if names else _("No other domain is running.")
    )
    return SpecError(field, text, hint=hint).choose_from(names)
