"""ssh part of a host's URL: `xl+ssh://USER@HOST[:PORT]`."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from scheduler.errors import SpecError
from scheduler.model.urls import redact_url
from scheduler.translation import _

# ssh takes a word that starts with '-' for an option. No host's name has blanks or control characters.
_HOST = re.compile(r"[A-Za-z0-9_.:%\[][A-Za-z0-9_.:%\[\]-]*")
_USER = re.compile(r"[A-Za-z0-9_.@\\+][A-Za-z0-9_.@\\+-]*")
_HINT = _("Write SCHEME://USER@HOST or SCHEME://USER@HOST:PORT; USER and PORT may be left to your ssh configuration.")


@dataclass(frozen=True, slots=True)
class SshTarget:
    """Target of an ssh connection.

    Attributes:
        host: Name, address, or a `Host` of the user's ssh configuration.
        user: Name of the user; empty for ssh's configuration.
        port: 1..65535; 0 for ssh's configuration.
        options: Options of ssh before all others.
    """

    host: str
    user: str = ""
    port: int = 0
    options: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """The target in the notation of people."""
        user = f"{self.user}@" if self.user else ""
        port = f":{self.port}" if self.port else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{user}{host}{port}"

    @property
    def argv(self) -> tuple[str, ...]:
        """The target as arguments of ssh."""
        port = ("-p", str(self.port)) if self.port else ()
        user = ("-l", self.user) if self.user else ()
        return (*self.options, *port, *user, "--", self.host)


def parse_target(url: str) -> SshTarget:
    """Return the target of a URL.

    Raises:
        SpecError: The URL has no host, or has a password, a path, or characters of no name.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or 0
    except ValueError as error:
        raise SpecError(
            "host", _("{redact_url!r} is not a URL").format(redact_url=redact_url(url)), hint=_HINT
        ) from error
    if parts.password is not None:
        raise SpecError(
            "host",
            _("{redact_url} came with a password").format(redact_url=redact_url(url)),
            hint=_("A URL is no place for one: leave it out."),
        )
    if parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise SpecError(
            "host", _("{redact_url!r} has more than user, host and port").format(redact_url=redact_url(url)), hint=_HINT
        )
    # urlsplit changes the name to lower case, but `Host` in ssh's configuration is case-sensitive.
    host = parts.netloc.rpartition("@")[2]
    host = host.removesuffix(f":{port}").strip("[]") if port else host.strip("[]")
    if not _HOST.fullmatch(host) or not _USER.fullmatch(parts.username or "x"):
        raise SpecError(
            "host",
            _("{redact_url!r} names no host that ssh could reach").format(redact_url=redact_url(url)),
            hint=_HINT,
        )
    return SshTarget(host, parts.username or "", port)
