"""The kinds of hosts: how each URL begins, and in one sentence what a URL means while it is typed. Plain text only."""

from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from app.wizard.input_parsing import HOST_PLACEHOLDER
from app.wizard.plan_texts import tr


@dataclass(frozen=True, slots=True)
class HostKind:
    """One kind of host.

    Attributes:
        key: A key of `host_parts.FIELDS`.
        name: What people call it.
        does: What is behind it, a few words.
    """

    key: str
    name: str
    does: str


def list_host_kinds() -> tuple[HostKind, ...]:
    """Return the kinds that are offered, the easiest first."""
    return (
        HostKind("local", tr("This computer"), tr("A real PostgreSQL, on one CPU.")),
        HostKind("sim", tr("Simulated Xen"), tr("In this program; seconds, not minutes.")),
        HostKind("xen", tr("Xen"), tr("Dom0 by its own xl.")),
        HostKind("xapi", tr("XenServer"), tr("XCP-ng, too: by XAPI and xl.")),
        HostKind("libvirt", tr("libvirt"), tr("QEMU and KVM, LXC, Xen.")),
    )


def explain_url(url: str) -> str:
    """Return what DomTune would do with a URL, or what is still missing in it; empty for an empty one."""
    text = url.strip()
    if ":" not in text:
        return tr("A host URL begins with its kind and a colon; choose a kind above.") if text else ""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return tr("This is no URL yet.")
    return _explain_parts(text.partition(":")[0], parts)


def _explain_parts(scheme: str, parts: SplitResult) -> str:
    if parts.password is not None:
        return tr("Leave the password out: DomTune asks for it when it is needed, and never stores it.")
    driver, _, transport = scheme.partition("+")
    if driver in _DRIVERS:
        return _explain_libvirt(driver, transport, parts)
    if driver == "xen":
        return _explain_xen(transport, parts)
    if scheme in {"xl+ssh", "xapi"} and parts.hostname in {None, "", HOST_PLACEHOLDER.lower()}:
        return tr("Write the host's name or address where HOST stands.")
    return _explain_direct(scheme, parts)


_DRIVERS = ("qemu", "lxc", "test")


def _explain_direct(scheme: str, parts: SplitResult) -> str:
    sentences = {
        "local": tr("This computer: a relay and a real PostgreSQL in two control groups that share one CPU."),
        "sim": tr("A simulated Xen machine, many times faster than the clock; its results are marked as simulated."),
        "xl": tr("Xen on this computer; Dom0 is asked and changed by its own xl."),
        "xl+ssh": tr("Xen on {host}: Dom0 is reached by ssh as {user}, and asked and changed by its xl."),
        "xapi": tr("XenServer or XCP-ng at {host}: looked at by XAPI over TLS, changed by xl over ssh."),
        "fake": tr("A made-up host for tests."),
    }
    words = sentences.get(scheme) or tr("DomTune knows no kind of host that is called {kind}.")
    user = parts.username or tr("the user of your ssh configuration")
    return words.format(host=_address_text(parts), user=user, kind=repr(scheme))


def _explain_libvirt(driver: str, transport: str, parts: SplitResult) -> str:
    who = {
        "qemu": tr("QEMU and KVM guests"),
        "lxc": tr("LXC containers"),
        "test": tr("libvirt's made-up domains"),
    }[driver]
    if transport not in {"", "unix"} and parts.hostname in {None, "", HOST_PLACEHOLDER.lower()}:
        return tr("Write the host's name or address where HOST stands.")
    if not parts.hostname:
        return tr("{who} of this computer, through libvirt.").format(who=who)
    way = {"ssh": "ssh", "": "TLS", "tls": "TLS", "tcp": tr("plain TCP")}.get(transport, transport)
    return tr("{who} of {host}, through libvirt over {way}.").format(who=who, host=_address_text(parts), way=way)


def _explain_xen(transport: str, parts: SplitResult) -> str:
    if transport in {"", "unix"} and not parts.netloc:
        return tr("Xen on this computer: libvirt sets, xl reads back and puts back.")
    if transport != "ssh":
        return tr("A guard must reach the host: write xen+ssh://root@HOST/system.")
    if parts.hostname in {None, "", HOST_PLACEHOLDER.lower()}:
        return tr("Write the host's name or address where HOST stands.")
    return tr("Xen on {host} over ssh: libvirt sets, xl reads back and puts back.").format(host=_address_text(parts))


def _address_text(parts: SplitResult) -> str:
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.hostname or ''}{port}"
