"""`xapi://[USER@]HOST[:PORT][?ssh=[USER@]HOST[:PORT]]`, and the password that never stands in one."""

import os
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from scheduler.errors import LoginRefused, SpecError
from scheduler.hosts.remote.ssh_url import SshTarget, parse_target
from scheduler.model.urls import redact_url

USER = "DOMTUNE_XAPI_USER"
SECRET = "DOMTUNE_XAPI_PASSWORD"  # name of an environment variable, not a password
HTTPS = 443
_USER = re.compile(r"[^\s:\x00-\x20\x7f]*")  # of a directory, too: DOMAIN\\USER, USER@DOMAIN
_HINT = "Write xapi://HOST or xapi://USER@HOST:PORT; ?ssh=USER@HOST names another way to Dom0 than root@HOST."


@dataclass(frozen=True, slots=True)
class XapiAddress:
    """Where a XAPI listens.

    Attributes:
        host: Name or address, IPv6 without brackets.
        port: 1..65535.
    """

    host: str
    port: int = HTTPS

    @property
    def where(self) -> str:
        """The address as people write it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == HTTPS else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class XapiUrl:
    """One URL.

    Attributes:
        text: As it was written.
        address: A member of the pool.
        user: Who logs in; empty when the environment or the default decides.
        ssh: The way to Dom0 if it is not root at the host's address.
    """

    text: str
    address: XapiAddress
    user: str
    ssh: SshTarget | None

    @property
    def base(self) -> str:
        """The URL without what leads to Dom0: what a certificate is accepted for."""
        user = f"{self.user}@" if self.user else ""
        return f"xapi://{user}{self.address.where}"


def parse_xapi_url(text: str) -> XapiUrl:
    """Read a URL; raises SpecError, and never repeats a password."""
    try:
        parts = urlsplit(text)
        host, port, secret = parts.hostname or "", parts.port or HTTPS, parts.password
        query = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError as error:
        raise SpecError("host", "this is not a URL of a XAPI", hint=_HINT) from error
    if secret is not None:
        hint = f"Leave it out, and put the password into {SECRET}."
        raise SpecError("host", f"{redact_url(text)} holds a password", hint=hint)
    if parts.scheme != "xapi" or not host or parts.path not in {"", "/"} or parts.fragment or set(query) - {"ssh"}:
        raise SpecError("host", f"{redact_url(text)!r} is not a URL of a XAPI", hint=_HINT)
    user = unquote(parts.username or "")
    if not _USER.fullmatch(user):
        raise SpecError("host", f"{redact_url(text)!r} names a user that no host has", hint=_HINT)
    parse_target(f"ssh://{parts.netloc.rpartition('@')[2]}")  # blanks and the like are in no host's name
    way = parse_target(f"ssh://{query['ssh']}") if "ssh" in query else None
    return XapiUrl(text, XapiAddress(host, port), user, way)


def read_credentials(url: XapiUrl) -> tuple[str, str]:
    """Return user and password from the environment; raises LoginRefused when there is no password."""
    user = url.user or os.environ.get(USER, "") or "root"
    password = os.environ.get(SECRET, "")
    if not password:
        raise LoginRefused(
            f"{url.base} wants a password for {user!r}, and none was given",
            hint=f"Put it into the environment variable {SECRET}.",
        )
    return user, password
