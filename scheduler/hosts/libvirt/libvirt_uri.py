"""libvirt URIs in the form that administrators know, made safe.

No URI makes ssh ask on a terminal, and none contains a password.
"""

import os
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

import msgspec

from scheduler import places
from scheduler.errors import HostNotUsable, SpecError
from scheduler.hosts.remote.ssh_url import parse_target
from scheduler.model.urls import is_url_plain, redact_url
from scheduler.translation import _

DRIVERS = ("qemu", "lxc", "xen", "test")
_TRANSPORTS = ("unix", "ssh", "tls", "tcp", "libssh", "libssh2")
USER = places.LIBVIRT_USER
SECRET = places.LIBVIRT_PASSWORD
# `command=` would make libvirt run any program here; `no_verify` and `auto` accept any host key.
_REFUSED = {
    "command": _("it names a program that would be run here"),
    "no_verify": _("it believes any host key"),
    "netcat": _("it names a program that would be run there"),
}


class LibvirtUri(msgspec.Struct, frozen=True):
    """One libvirt URI.

    Attributes:
        text: The URI as written.
        driver: `qemu`, `lxc`, `xen` or `test`.
        transport: `ssh`, `tls`, ...; `unix` for this computer.
        server: Name of the remote computer; empty for this one.
        user: Name of the user; may be empty.
    """

    text: str
    driver: str
    transport: str
    server: str
    user: str

    @property
    def here(self) -> bool:
        """True when libvirt runs on this computer."""
        return not self.server

    @property
    def asked_for(self) -> str:
        """The URI for libvirt, with which ssh does not ask on a terminal."""
        if self.transport != "ssh":
            return self.text
        parts = urlsplit(self.text)
        query = [(key, value) for key, value in parse_qsl(parts.query) if key.lower() != "no_tty"]
        return urlunsplit(parts._replace(query=urlencode([*query, ("no_tty", "1")], quote_via=quote)))


def parse_uri(text: str) -> LibvirtUri:
    """Return a parsed libvirt URI; raise SpecError without a password in its text."""
    try:
        parts = urlsplit(text)
        server, user, secret = parts.hostname or "", unquote(parts.username or ""), parts.password
    except ValueError as error:
        raise SpecError("host", _("this is not a libvirt URI"), hint=_HINT) from error
    if secret is not None:
        hint = _("Write it without the password and put that into {secret}.").format(secret=SECRET)
        raise SpecError("host", _("{redact_url} holds a password").format(redact_url=redact_url(text)), hint=hint)
    driver, _unused, transport = parts.scheme.partition("+")
    if driver not in DRIVERS or (transport and transport not in _TRANSPORTS):
        raise SpecError(
            "host",
            _("{redact_url!r} is not a libvirt URI that DomTune opens").format(redact_url=redact_url(text)),
            hint=_HINT,
        )
    if not is_url_plain(text.partition("?")[0]):  # libvirt's own message would repeat pasted text
        raise SpecError(
            "host", _("{redact_url!r} cannot be read as a libvirt URI").format(redact_url=redact_url(text)), hint=_HINT
        )
    _refuse_options(text, parts.query)
    if server or parts.netloc:  # no name may look like an option of ssh or a word of a shell
        parse_target(f"ssh://{parts.netloc}")
    if server and not transport:
        transport = "tls"  # libvirt's own rule (its documentation of remote URIs)
    return LibvirtUri(text=text, driver=driver, transport=transport or "unix", server=server, user=user)


def _refuse_options(text: str, query: str) -> None:
    # libvirt also accepts ';' as a separator, and names in any case (virURIParseParams; STRCASEEQ in remote_driver.c).
    for key, value in parse_qsl(query.replace(";", "&"), keep_blank_values=True):
        name = key.lower()
        if name in _REFUSED or (name == "known_hosts_verify" and value != "normal"):
            reason = _REFUSED.get(name, _("it accepts unverified host keys"))
            raise SpecError(
                "host",
                _("{redact_url}: {name} is not used: {reason}").format(
                    redact_url=redact_url(text), name=name, reason=reason
                ),
                hint=_("Leave it out of the URI."),
            )


def read_credentials(uri: LibvirtUri) -> tuple[str, str]:
    """Return user and password for SASL from the environment; both may be empty.

    Raises:
        HostNotUsable: The connection would send the password unencrypted.
    """
    secret = os.environ.get(SECRET, "")
    if secret and uri.transport == "tcp":
        raise HostNotUsable(
            _("{redact_url}: DomTune sends no password over +tcp, because the connection is not encrypted").format(
                redact_url=redact_url(uri.text)
            ),
            hint=_("Use {driver}+tls://{server}/system or +ssh, or unset {secret}.").format(
                driver=uri.driver, server=uri.server, secret=SECRET
            ),
        )
    return os.environ.get(USER, "") or uri.user, secret


_HINT = _("For example qemu:///system, lxc:///system, qemu+ssh://root@HOST/system or test:///default.")
