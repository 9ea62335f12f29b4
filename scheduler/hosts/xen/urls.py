"""URLs of Xen hosts: local or ssh access, with xl or libvirt as the setter."""

from urllib.parse import urlsplit

import msgspec

from scheduler.errors import SpecError
from scheduler.hosts.remote.askpass import given_secret
from scheduler.hosts.remote.local_shell import LocalShell
from scheduler.hosts.remote.shell import StreamingShell
from scheduler.hosts.remote.ssh_shell import SshShell
from scheduler.hosts.remote.ssh_url import parse_target
from scheduler.translation import _

_LOCAL_PATHS = ("/", "/system")
_HINT = _("Write xl:, xl+ssh://USER@HOST, xen:///system or xen+ssh://USER@HOST/system.")


class XenUrl(msgspec.Struct, frozen=True):
    """Access to a Xen host, as named by a URL.

    Attributes:
        scheme: Scheme of the URL, for example `xl+ssh`.
        place: The rest of the URL; empty for this computer.
    """

    scheme: str
    place: str = ""

    @property
    def here(self) -> bool:
        """True when this computer is the host."""
        return not self.scheme.endswith("+ssh")

    @property
    def by_libvirt(self) -> bool:
        """True when libvirt sets the splits."""
        return self.scheme.startswith("xen")

    def shell(self) -> StreamingShell:
        """Return the shell of the host; raise SpecError for an invalid ssh target."""
        if self.here:
            return LocalShell()
        return SshShell(parse_target(f"{self.scheme}://{self.place}"), self.scheme, given_secret())


def parse_xen_url(url: str) -> XenUrl:
    """Return the access that a URL names.

    Raises:
        SpecError: The URL names no host that a guard could protect: the guard is reached like the host, by ssh.
    """
    if url == "xl:":
        return XenUrl("xl")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise SpecError("host", _("this is no URL of a Xen host"), hint=_HINT) from error
    if parts.scheme == "xl+ssh" or (parts.scheme == "xen+ssh" and parts.path in {"", "/", "/system"}):
        rest = url.partition("://")[2]
        return XenUrl(parts.scheme, rest.removesuffix("/system") if parts.scheme == "xen+ssh" else rest)
    if parts.scheme in {"xen", "xen+unix"} and not parts.netloc and parts.path in _LOCAL_PATHS and not parts.query:
        return XenUrl(parts.scheme)
    raise SpecError(
        "host", _("a {scheme}: URL of this form is none that DomTune opens").format(scheme=parts.scheme), hint=_HINT
    )
