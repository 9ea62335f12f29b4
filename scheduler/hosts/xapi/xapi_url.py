"""XAPI URLs and credentials.

Form: `xapi://[USER@]HOST[:PORT][?ssh=[USER@]HOST[:PORT]]`. A URL never contains the password, which comes from the
environment.
"""

import os
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from scheduler import places
from scheduler.errors import LoginRefused, SpecError
from scheduler.hosts.remote.ssh_url import SshTarget, parse_target
from scheduler.model.urls import redact_url
from scheduler.translation import _

USER = places.XAPI_USER
SECRET = places.XAPI_PASSWORD
HTTPS = 443
_USER = re.compile(r"[^\s:\x00-\x20\x7f]*")  # or a directory's name: DOMAIN\\USER, USER@DOMAIN
_HINT = _("Write xapi://HOST or xapi://USER@HOST:PORT; ?ssh=USER@HOST names another way to Dom0 than root@HOST.")


@dataclass(frozen=True, slots=True)
class XapiAddress:
    """Address of a XAPI.

    Attributes:
        host: Name or address, IPv6 without brackets.
        port: 1..65535.
    """

    host: str
    port: int = HTTPS

    @property
    def where(self) -> str:
        """The address in the notation of people."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == HTTPS else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class XapiUrl:
    """A parsed `xapi://` URL.

    Attributes:
        text: The URL as written.
        address: A member of the pool.
        user: Name of the user; empty for the environment's or the default.
        ssh: The way to Dom0; None for root at the host's address.
    """

    text: str
    address: XapiAddress
    user: str
    ssh: SshTarget | None

    @property
    def base(self) -> str:
        """The URL without the way to Dom0; certificates are accepted for this URL."""
        user = f"{self.user}@" if self.user else ""
        return f"xapi://{user}{self.address.where}"


def parse_xapi_url(text: str) -> XapiUrl:
    """Return a parsed XAPI URL; raise SpecError without a password in its message."""
    try:
        parts = urlsplit(text)
        host, port, secret = parts.hostname or "", parts.port or HTTPS, parts.password
        query = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError as error:
        raise SpecError("host", _("this is not a URL of a XAPI"), hint=_HINT) from error
    if secret is not None:
        hint = _("Leave it out, and put the password into {secret}.").format(secret=SECRET)
        raise SpecError("host", _("{redact_url} holds a password").format(redact_url=redact_url(text)), hint=hint)
    if parts.scheme != "xapi" or not host or parts.path not in {"", "/"} or parts.fragment or set(query) - {"ssh"}:
        raise SpecError(
            "host", _("{redact_url!r} is not a URL of a XAPI").format(redact_url=redact_url(text)), hint=_HINT
        )
    user = unquote(parts.username or "")
    if not _USER.fullmatch(user):
        raise SpecError(
            "host", _("{redact_url!r} names a user that no host has").format(redact_url=redact_url(text)), hint=_HINT
        )
    parse_target(f"ssh://{parts.netloc.rpartition('@')[2]}")  # refuses blanks and the like
    way = parse_target(f"ssh://{query['ssh']}") if "ssh" in query else None
    return XapiUrl(text, XapiAddress(host, port), user, way)


def read_credentials(url: XapiUrl) -> tuple[str, str]:
    """Return user and password from the environment.

    Raises:
        LoginRefused: The environment has no password.
    """
    user = url.user or os.environ.get(USER, "") or "root"
    password = os.environ.get(SECRET, "")
    if not password:
        raise LoginRefused(
            _("{base} wants a password for {user!r}, and none was given").format(base=url.base, user=user),
            hint=_("Put it into the environment variable {secret}.").format(secret=SECRET),
        )
    return user, password
