"""The URLs of Xen hosts: who reaches Dom0, and whether its xl or its libvirt sets what is written."""

from urllib.parse import urlsplit

import msgspec

from scheduler.errors import SpecError
from scheduler.hosts.remote.askpass import given_secret
from scheduler.hosts.remote.local_shell import LocalShell
from scheduler.hosts.remote.shell import StreamingShell
from scheduler.hosts.remote.ssh_shell import SshShell
from scheduler.hosts.remote.ssh_url import parse_target

_LOCAL_PATHS = ("/", "/system")
_HINT = "Write xl:, xl+ssh://USER@HOST, xen:///system or xen+ssh://USER@HOST/system."


class XenUrl(msgspec.Struct, frozen=True):
    """A way to a Xen host.

    Attributes:
        scheme: The URL's, for example `xl+ssh`.
        place: What follows it; empty for this computer.
    """

    scheme: str
    place: str = ""

    @property
    def here(self) -> bool:
        """True when this computer is the host."""
        return not self.scheme.endswith("+ssh")

    @property
    def by_libvirt(self) -> bool:
        """True when libvirt sets."""
        return self.scheme.startswith("xen")

    def shell(self) -> StreamingShell:
        """Return what runs commands there; raises SpecError for a host that ssh could not reach."""
        if self.here:
            return LocalShell()
        return SshShell(parse_target(f"{self.scheme}://{self.place}"), self.scheme, given_secret())


def parse_xen_url(url: str) -> XenUrl:
    """Return the way that a URL names.

    Raises:
        SpecError: It names none that can be guarded: the guard is reached as the host is, by ssh.
    """
    if url == "xl:":
        return XenUrl("xl")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise SpecError("host", "this is no URL of a Xen host", hint=_HINT) from error
    if parts.scheme == "xl+ssh" or (parts.scheme == "xen+ssh" and parts.path in {"", "/", "/system"}):
        rest = url.partition("://")[2]
        return XenUrl(parts.scheme, rest.removesuffix("/system") if parts.scheme == "xen+ssh" else rest)
    if parts.scheme in {"xen", "xen+unix"} and not parts.netloc and parts.path in _LOCAL_PATHS and not parts.query:
        return XenUrl(parts.scheme)
    raise SpecError("host", f"a {parts.scheme}: URL of this form is none that DomTune opens", hint=_HINT)
