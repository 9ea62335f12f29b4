"""Kinds of hosts, one record each: URLs, modules and fields of the wizard.

To add a kind: docs/developers/add-a-host.md.
"""

from collections.abc import Mapping

import msgspec

from scheduler import places
from scheduler.model.parameters import Parameter
from scheduler.translation import _

_TRANSPORTS = ("", "+unix", "+ssh", "+tls", "+tcp", "+libssh", "+libssh2")  # libvirt's: DRIVER+TRANSPORT://...


class HostKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of host.

    Attributes:
        name: Name on the wizard's card, to be translated.
        summary: A few words below the name, to be translated.
        module: Module with `open_host` and `reopen_host`.
        schemes: Scheme of its URLs to its meaning in one sentence, to be translated; empty for libvirt's.
        other_schemes: Scheme of URLs that no fields can show, to the module that opens them.
        example: URLs for users, each with its meaning; empty for kinds for tests, which the wizard does not offer.
        fields: Fields on the wizard's page, in order.
        own_fields: Declarations of those of the fields that no other kind has.
        values: First values of a new URL's fields; missing values are empty.
        here: Template of a URL for this computer: field names in braces, `{options}` for the options of a simulation.
        away: Template of a URL for another computer, `{address}` for user, host and port; empty for kinds without one.
        loads: Module with `open_pool` for its loads; empty where they run on a database.
        share_models: Module `shares` of its folder, with `build_models(machine)`, for a scheduler that only this kind
            has; else empty.
        password_variables: Environment variables with the password of another computer.
        has_dom0: True where the I/O domain is Xen's Dom0, unless the plan names another domain.
        simulated: True for a simulation.
        near: True where no other computer is asked.
        this_computer: True where the only host is this computer, on which DomTune starts the database.
        has_certificate: True where its TLS certificate identifies another computer, which is also reached by ssh.
        has_one_pair: True when the host has exactly one pair of domains.
    """

    name: str
    summary: str
    module: str
    schemes: Mapping[str, str]
    other_schemes: Mapping[str, str] = {}
    example: Mapping[str, str] = {}
    fields: tuple[str, ...] = ()
    own_fields: tuple[Parameter, ...] = ()
    values: Mapping[str, str] = {}
    here: str = ""
    away: str = ""
    loads: str = ""
    share_models: str = ""
    password_variables: tuple[str, ...] = ()
    has_dom0: bool = False
    simulated: bool = False
    near: bool = False
    this_computer: bool = False
    has_certificate: bool = False
    has_one_pair: bool = False


AWAY_FIELDS = ("host", "user", "port")
"""Fields without effect for this computer."""
SIMULATION_OPTIONS = ("scheduler", "noise", "seed")
"""Fields that are options of a simulation's URL."""
_DOM0_NAMES = frozenset({"", "0", "Domain-0", "Dom0"})

HOST_KINDS: Mapping[str, HostKind] = {
    "local": HostKind(
        name=_("This computer"),
        summary=_("A real PostgreSQL, on one CPU."),
        module="scheduler.hosts.local.local_opening",
        example={"local:": _("this computer: a relay and a database in two control groups")},
        here="local:",
        near=True,
        this_computer=True,
        has_one_pair=True,
        schemes={"local": _("This computer: a relay and a real PostgreSQL in two control groups that share one CPU.")},
    ),
    "sim": HostKind(
        name=_("Simulated Xen"),
        summary=_("In this program; seconds, not minutes."),
        module="scheduler.hosts.sim",
        has_dom0=True,
        example={"sim:": _("a simulated Xen host; `sim:FILE` reads a machine file")},
        fields=(*SIMULATION_OPTIONS, "file"),
        here="sim:{file}{options}",
        simulated=True,
        near=True,
        has_one_pair=True,
        schemes={
            "sim": _("A simulated Xen machine, many times faster than the clock; its results are marked as simulated.")
        },
    ),
    "xen": HostKind(
        name="Xen",
        summary=_("Dom0 by its own xl."),
        module="scheduler.hosts.xen.xen_host",
        has_dom0=True,
        example={
            "xl:": _("this Xen host, by its own `xl`, or `xm` of old versions"),
            "xl+ssh://USER@HOST": _("a Xen host by ssh, set by `xl` in Dom0"),
        },
        fields=("where", *AWAY_FIELDS),
        values={"where": "ssh", "user": "root"},
        here="xl:",
        away="xl+ssh://{address}",
        password_variables=(places.SSH_PASSWORD,),
        schemes={
            "xl": _("Xen on this computer; Dom0 is asked and changed by its own xl."),
            "xl+ssh": _("Xen on {host}: Dom0 is reached by ssh as {user}, and asked and changed by its xl."),
        },
    ),
    "xapi": HostKind(
        name="XenServer",
        summary=_("XenServer or XCP-ng, by XAPI and xl."),
        module="scheduler.hosts.xapi.xapi_host",
        has_dom0=True,
        example={"xapi://HOST": _("XenServer or XCP-ng, by XAPI and by `xl` in Dom0")},
        fields=AWAY_FIELDS,
        away="xapi://{address}",
        has_certificate=True,
        password_variables=(places.XAPI_PASSWORD, places.SSH_PASSWORD),  # Dom0's root has the same for both
        schemes={"xapi": _("XenServer or XCP-ng at {host}: looked at by XAPI over TLS, changed by xl over ssh.")},
    ),
    "libvirt": HostKind(
        name="libvirt",
        summary=_("QEMU and KVM, LXC, Xen."),
        module="scheduler.hosts.libvirt.libvirt_opening",
        example={
            "qemu:///system": _("QEMU and KVM guests by libvirt; by ssh `qemu+ssh://USER@HOST/system`"),
            "lxc:///system": _("LXC containers by libvirt; by ssh `lxc+ssh://USER@HOST/system`"),
            "xen:///system": _("a Xen host by libvirt, set by `virsh`; by ssh `xen+ssh://USER@HOST/system`"),
        },
        schemes={f"{driver}{way}": "" for driver in ("qemu", "lxc", "xen") for way in ("", "+ssh", "+tls", "+tcp")},
        other_schemes={
            **{
                f"{driver}{way}": "scheduler.hosts.libvirt.libvirt_opening"
                for driver in ("qemu", "lxc", "test")
                for way in _TRANSPORTS
            },
            **{f"xen{way}": "scheduler.hosts.xen.xen_host" for way in _TRANSPORTS},  # it refuses some with a reason
        },
        fields=("runs", "where", *AWAY_FIELDS),
        values={"runs": "qemu", "where": "ssh", "user": "root"},
        here="{runs}:///system",
        away="{runs}+ssh://{address}/system",
        password_variables=(places.LIBVIRT_PASSWORD,),
    ),
    "fake": HostKind(
        name=_("Fake host"),
        summary=_("For tests."),
        module="scheduler.hosts.fake",
        loads="scheduler.loads.fake_loads",  # it has no CPU for a real database
        near=True,
        schemes={"fake": _("Fake host for tests.")},
    ),
}
"""Key to kind of host, the easiest first."""


def find_host_kind(url: str) -> HostKind | None:
    """Return the kind of host of a URL; None for others."""
    scheme, colon, _ = url.strip().partition(":")
    known = (kind for kind in HOST_KINDS.values() if scheme in kind.schemes or scheme in kind.other_schemes)
    return next(known, None) if colon else None


def name_io_domain(url: str, domain: str) -> str:
    """Return the name of a host's I/O domain in sentences.

    Args:
        url: URL of the host.
        domain: The plan's name of the I/O domain; empty for the host's obvious one.
    """
    kind = find_host_kind(url)
    has_dom0 = kind is not None and (kind.has_dom0 or url.strip().startswith("xen"))
    return "Dom0" if has_dom0 and domain in _DOM0_NAMES else _("the I/O domain")


def find_host_module(url: str) -> str:
    """Return the module that opens a host; empty for an unknown URL."""
    kind = find_host_kind(url)
    return kind.other_schemes.get(url.partition(":")[0], kind.module) if kind else ""


def is_simulated(url: str) -> bool:
    """Return True for a simulated machine, which ends with its process."""
    kind = find_host_kind(url)
    return kind is not None and kind.simulated


def is_this_computer(url: str) -> bool:
    """Return True for this computer, on which DomTune starts the database."""
    kind = find_host_kind(url)
    return kind is not None and kind.this_computer


def has_certificate(url: str) -> bool:
    """Return True when a TLS certificate identifies the host; else its ssh key does."""
    kind = find_host_kind(url)
    return kind is not None and kind.has_certificate


def is_reached_by_ssh(url: str) -> bool:
    """Return True for another computer that is changed by ssh and has a guard."""
    return has_certificate(url) or url.partition(":")[0].strip().endswith("+ssh")


def is_near(url: str) -> bool:
    """Return True when the host of a URL is reached without a network."""
    kind = find_host_kind(url)
    return kind is not None and kind.near
