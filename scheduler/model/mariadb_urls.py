"""URLs of MariaDB and MySQL: a strict parser, because clients differ.

No message quotes any part of a URL: a malformed URL may contain a password.
"""

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

import msgspec

from scheduler.errors import SpecError
from scheduler.translation import _

PORT = 3306  # default of MariaDB and MySQL
_URL = re.compile(
    r"(?:mariadb|mysql)://([^@/?#:\[\]\s]+)@(|[A-Za-z0-9](?:[A-Za-z0-9._-]*)|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?"
    r"(?:/([^@/?#:\[\]\s]*))?(?:\?([A-Za-z0-9_.=&/~+%-]+))?",
    re.ASCII,
)
_NAME = re.compile(r"[a-z][a-z_-]{0,29}")
_ESCAPED = re.compile(r"(?:[^%]|%[0-9A-Fa-f]{2})*")
_MOST_PATH = 1_024
_MOST_SOCKET_BYTES = 107  # unix(7): 108 with the zero at the end
_MOST_CHARS = 128  # longest user name of MariaDB; names of databases have 64
_HINT = _(
    "Write mariadb://USER@HOST:PORT/NAME; other signs than letters and digits as %XX, and no parameters but ssl-mode "
    "and ssl-ca. For a Unix socket write mariadb://USER@/NAME?socket=PATH."
)

PLAIN, REQUIRED, VERIFY_CA, VERIFY_IDENTITY = "disabled", "required", "verify_ca", "verify_identity"
SSL_MODES = (PLAIN, REQUIRED, VERIFY_CA, VERIFY_IDENTITY)
"""Encryption and checks of the server's certificate: --ssl-mode, MySQL 8.4 Reference Manual, 6.2.3."""


class ServerUrl(msgspec.Struct, frozen=True):
    """Parts of a server URL.

    Attributes:
        user: Name of the database user.
        host: Name or address, or the path of a Unix socket.
        port: TCP port; 0 for a Unix socket.
        database: Database of the connection; empty for none.
        ssl_mode: One of `SSL_MODES`.
        ssl_ca: Path of the file with the trusted authorities; empty for this computer's authorities.
    """

    user: str
    host: str
    port: int
    database: str
    ssl_mode: str = PLAIN
    ssl_ca: str = ""

    @property
    def query(self) -> str:
        """Query of a URL of the same server, with its question mark; empty without TLS."""
        if self.ssl_mode == PLAIN:
            return ""
        return f"?ssl-mode={self.ssl_mode}" + (f"&ssl-ca={quote(self.ssl_ca)}" if self.ssl_ca else "")


def parse_server_url(url: str, field: str) -> ServerUrl:
    """Parse a `mariadb://` or `mysql://` URL.

    Args:
        url: The URL.
        field: Name of the key or option, for the error.

    Raises:
        SpecError: The text is no such URL, or has parts other than user, host, port or socket, name and encryption.
    """
    match = _URL.fullmatch(url)
    if match is None:
        raise SpecError(field, _("cannot be read as a URL"), hint=_HINT)
    port = int(match[3] or PORT)
    if not 0 < port < 65_536:
        raise SpecError(
            field, _("its port is not a number from 1 to 65535"), hint=_("MariaDB's is {port}.").format(port=PORT)
        )
    given = _parse_parameters(match[5] or "", field)
    user, name = _unquote_part(match[1], field), _unquote_part(match[4] or "", field)
    if "socket" in given or not match[2]:
        if match[2] or match[3] or set(given) != {"socket"}:
            raise SpecError(
                field, _("has no host, or a socket next to a host, a port or another parameter"), hint=_HINT
            )
        return ServerUrl(user, _parse_socket(given["socket"], field), 0, name)
    mode, authorities = _parse_encryption(given, field)
    return ServerUrl(user, match[2].strip("[]"), port, name, mode, authorities)


def _parse_parameters(query: str, field: str) -> Mapping[str, str]:
    """Return a query's parameters, still encoded; raise SpecError for unknown ones."""
    pairs = [pair.partition("=") for pair in query.split("&")] if query else []
    given = {name: value for name, _, value in pairs}
    odd = [name for name in given if name not in {"socket", "ssl-mode", "ssl-ca"}]
    if odd and _NAME.fullmatch(odd[0]):
        raise SpecError(field, _("has the parameter {odd}, which is not known").format(odd=odd[0]), hint=_HINT)
    if odd or len(given) < len(pairs):
        raise SpecError(field, _("has parameters that are not known, or one twice"), hint=_HINT)
    return given


def _parse_socket(value: str, field: str) -> str:
    """Return the path of a Unix socket; raise SpecError."""
    path = _unquote_part(value, field, _MOST_SOCKET_BYTES)
    is_whole = path.startswith("/") and not path.endswith("/") and "," not in path  # sysbench splits it at commas
    if not is_whole or len(path.encode()) > _MOST_SOCKET_BYTES:
        hint = _(
            "Write it from / on, at most {most_socket_bytes} bytes, no comma: ?socket=/run/mysqld/mysqld.sock"
        ).format(most_socket_bytes=_MOST_SOCKET_BYTES)
        raise SpecError(field, _("its socket is not the whole path of a Unix socket"), hint=hint)
    return path


def _parse_encryption(given: Mapping[str, str], field: str) -> tuple[str, str]:
    """Return the TLS mode and the file of authorities; raise SpecError."""
    mode = given.get("ssl-mode", PLAIN).lower().replace("-", "_")
    if mode not in SSL_MODES:
        raise SpecError(
            field,
            _("its ssl-mode is not known"),
            hint=_("Take one of {ssl_modes}.").format(ssl_modes=", ".join(SSL_MODES)),
        )
    authorities = _unquote_part(given.get("ssl-ca", ""), field, _MOST_PATH)
    if "ssl-ca" in given and (mode not in {VERIFY_CA, VERIFY_IDENTITY} or not authorities.startswith("/")):
        hint = _("Take it with ssl-mode={verify_ca} or {verify_identity}.").format(
            verify_ca=VERIFY_CA, verify_identity=VERIFY_IDENTITY
        )
        raise SpecError(
            field, _("its ssl-ca is not the whole path of a file, or of no use with its ssl-mode"), hint=hint
        )
    return mode, authorities


def _unquote_part(text: str, field: str, most: int = _MOST_CHARS) -> str:
    try:
        plain = unquote(text, errors="strict") if _ESCAPED.fullmatch(text) else "\0"
    except UnicodeDecodeError:
        plain = "\0"
    if not plain.isprintable() or len(plain) > most:
        raise SpecError(field, _("cannot be read as a URL"), hint=_HINT)
    return plain
