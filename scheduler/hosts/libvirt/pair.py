"""Which two domains of a libvirt host a sweep is about, and what plays the I/O domain."""

import enum
from collections.abc import Sequence

import msgspec

from scheduler.errors import HostNotUsable, SpecError
from scheduler.hosts.libvirt.answers import Listed


class Side(enum.StrEnum):
    """What plays the I/O domain."""

    DOMAIN = "domain"  # another domain: Xen's Domain-0, a container with a proxy
    EMULATOR = "emulator"  # the threads of the guest's own QEMU that are not its vCPUs


class Pair(msgspec.Struct, frozen=True):
    """The two sides of a sweep, by UUID: names may change.

    Attributes:
        io: UUID of the I/O domain; the guest's own for its emulator.
        guest: UUID of the guest.
        side: What plays the I/O domain.
    """

    io: str
    guest: str
    side: Side


# A domain that is called so is the I/O domain where the plan names none.
_OBVIOUS_IO = ("Domain-0", "io")


def choose(driver: str, domains: Sequence[Listed], io_name: str, guest_name: str) -> Pair:
    """Choose by name or UUID, or take the obvious pair.

    Args:
        driver: `qemu`, `lxc`, `xen` or `test`.
        domains: All domains of the host.
        io_name: What the plan calls the I/O domain; `emulator` or empty for QEMU's own side.
        guest_name: What the plan calls the guest; empty when only one domain can be meant.

    Raises:
        SpecError: A name fits no running domain, or none was given where several could be meant.
        HostNotUsable: Nothing runs there that could be swept.
    """
    running = [domain for domain in domains if domain.active]
    if not running:
        raise HostNotUsable("no domain runs on this host", hint="Start the guest, then try again.")
    io = _named("domains.io", io_name, domains) if io_name not in ("", Side.EMULATOR) else _called(running, io_name)
    io = io or _obvious(driver, running, io_name)
    guest = _named("domains.guest", guest_name, domains) if guest_name else _only(running, io)
    if io is None and driver == "qemu":
        return Pair(io=guest.uuid, guest=guest.uuid, side=Side.EMULATOR)
    if io is None:
        raise _unclear("domains.io", _needs_io(driver), running, without=guest)
    if io.uuid == guest.uuid:
        raise _unclear("domains", f"{guest.name!r} cannot be both", running, without=guest)
    return Pair(io=io.uuid, guest=guest.uuid, side=Side.DOMAIN)


def _called(running: Sequence[Listed], name: str) -> Listed | None:
    """A domain that really is called `emulator` comes first."""
    return next((domain for domain in running if name and domain.name == name), None)


def _obvious(driver: str, running: Sequence[Listed], io_name: str) -> Listed | None:
    if io_name or driver == "qemu":
        return None
    return next((domain for name in _OBVIOUS_IO for domain in running if domain.name == name), None)


def _named(field: str, name: str, domains: Sequence[Listed]) -> Listed:
    found = next((domain for domain in domains if name in (domain.name, domain.uuid)), None)
    if found is None:
        raise _unclear(field, f"there is no domain {name!r}", [domain for domain in domains if domain.active])
    if not found.active:
        raise SpecError(field, f"the domain {name!r} is not running", hint="Start it, or name another.")
    return found


def _only(running: Sequence[Listed], io: Listed | None) -> Listed:
    others = [domain for domain in running if io is None or domain.uuid != io.uuid]
    if len(others) == 1:
        return others[0]
    if not others:
        text = f"only {running[0].name!r} runs on this host"
        raise HostNotUsable(text, hint="A sweep needs a second domain that holds the database.")
    text = "the host runs several domains; name the one with the database"
    raise _unclear("domains.guest", text, others)


def _needs_io(driver: str) -> str:
    if driver == "lxc":
        return "a container has no I/O side of its own; name the domain that the database's traffic passes through"
    return "name the I/O domain: the one that the database's traffic passes through"


def _unclear(field: str, text: str, running: Sequence[Listed], *, without: Listed | None = None) -> SpecError:
    """Return an error with the domains to choose from; libvirt lists them in no order."""
    names = sorted(domain.name for domain in running if without is None or domain.uuid != without.uuid)
    hint = f"Running: {', '.join(map(repr, names))}." if names else "No other domain is running."
    return SpecError(field, text, hint=hint).choose_from(names)
