"""URLs of MariaDB and MySQL, which no library reads for all: what is no such URL, to the letter, is refused.

Nothing here repeats any of a URL: what is none may hold a password where nobody looks for one.
"""

import re
from urllib.parse import unquote

import msgspec

from scheduler.errors import SpecError

PORT = 3306  # MariaDB's and MySQL's default
_URL = re.compile(
    r"(?:mariadb|mysql)://([^@/?#:\[\]\s]+)@([A-Za-z0-9](?:[A-Za-z0-9._-]*)|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?"
    r"(?:/([^@/?#:\[\]\s]*))?",
    re.ASCII,
)
_ESCAPED = re.compile(r"(?:[^%]|%[0-9A-Fa-f]{2})*")
_MOST_CHARS = 128  # MariaDB's longest user; databases have 64
_HINT = "Write mariadb://USER@HOST:PORT/NAME; other signs than letters and digits as %XX, and no parameters."


class ServerUrl(msgspec.Struct, frozen=True):
    """What a URL says.

    Attributes:
        user: Whom to connect as.
        host: Name or address.
        port: TCP port.
        database: The database that the connection begins in; empty for none.
    """

    user: str
    host: str
    port: int
    database: str


def read_server_url(url: str, field: str) -> ServerUrl:
    """Return what a `mariadb://` or `mysql://` URL says.

    Args:
        url: The URL.
        field: What messages call it.

    Raises:
        SpecError: It is none, or holds more than user, host, port and name.
    """
    match = _URL.fullmatch(url)
    if match is None:
        raise SpecError(field, "cannot be read as a URL", hint=_HINT)
    port = int(match[3] or PORT)
    if not 0 < port < 65_536:
        raise SpecError(field, "its port is not a number from 1 to 65535", hint=f"MariaDB's is {PORT}.")
    return ServerUrl(_plain(match[1], field), match[2].strip("[]"), port, _plain(match[4] or "", field))


def _plain(text: str, field: str) -> str:
    try:
        plain = unquote(text, errors="strict") if _ESCAPED.fullmatch(text) else "\0"
    except UnicodeDecodeError:
        plain = "\0"
    if not plain.isprintable() or len(plain) > _MOST_CHARS:
        raise SpecError(field, "cannot be read as a URL", hint=_HINT)
    return plain
