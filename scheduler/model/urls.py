"""URLs for messages, and checks of database URLs for passwords.

No message quotes a password.
"""

import re
from urllib.parse import unquote

from scheduler.errors import SpecError
from scheduler.model.databases import STANDARD_DATABASE, DatabaseKind, find_url_kind
from scheduler.model.host_kinds import is_this_computer
from scheduler.model.mariadb_urls import parse_server_url
from scheduler.translation import _

_PLAIN_USER = re.compile(r"([\w.+\\-]{1,64})(:[^/?#]*)?", re.ASCII)
_PLAIN_HOST = re.compile(r"([\w.-]*|\[[0-9A-Fa-f:.%]*\])(:[0-9]{1,5})?", re.ASCII)
_PLAIN_PATH = re.compile(r"(/[\w. -]*)*", re.ASCII)
_PLAIN_QUERY = re.compile(
    r"(socket|ssh|keyfile|known_hosts|no_tty|sslmode|ssl-(?:mode|ca)|host|port)=[\w./+-]*", re.ASCII
)
_DROPPED = "..."

_PORT = re.compile(r"[0-9]*")
_NAME = re.compile(r"[a-z_]{1,30}")
_PLACES = ("host", "port", "socket")  # parameters that locate the server: libpq's, and the last MariaDB's
_ALLOWED_PARAMETERS = ("host", "port", "user", "dbname", "sslmode", "sslrootcert", "channel_binding")
"""Parameters of libpq that a URL may have. All others are refused: some lead to another server than the URL shows
(`hostaddr`, `service`), read files or send unexpected values (`passfile`, `sslkey`, `options`), or remove limits
(`connect_timeout`, `keepalives`)."""
_LOOPBACK_HOSTS = ("", "localhost", "127.0.0.1", "[::1]")


def redact_url(url: str) -> str:
    """Return a URL without any part that may be a password.

    Everything between `://` and the last `@` may be a password. If that part contains '#', '/' or '?', everything after
    it may be a password, too. An ordinary user name, host, port, path and query are kept.
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        kind, colon, _ = url.partition(":")
        return f"{kind}:{_DROPPED}" if colon and "@" in url else url
    before, at, rest = rest.rpartition("@")
    user = _PLAIN_USER.fullmatch(before)
    if at and user is None:
        return f"{scheme}{separator}{_DROPPED}"
    rest, mark, query = rest.partition("?")
    host, slash, path = rest.partition("/")
    if not _PLAIN_HOST.fullmatch(host) or not _PLAIN_PATH.fullmatch(slash + path):
        return f"{scheme}{separator}{_DROPPED}"
    plain = all(_PLAIN_QUERY.fullmatch(pair) for pair in query.split("&"))
    words = [scheme, separator, user[1] if user else "", at, host, slash, path, mark]
    return "".join([*words, query if plain or not mark else _DROPPED])


def is_url_plain(url: str) -> bool:
    """Return True when no part of a URL has to be removed before it is shown."""
    return redact_url(url) == url


def is_same_server(one: str, other: str) -> bool:
    """Return True when two database URLs name the same server.

    Two names of one host are not recognised.

    Args:
        one: A URL that passes `refuse_password`.
        other: Another such URL.
    """
    return _server_key(one) == _server_key(other)


def _server_key(url: str) -> tuple[str, ...]:
    """Return kind, host and port of a server, and other parameters that locate it."""
    scheme, _, rest = url.partition("://")
    kind = find_url_kind(url)
    base, _, query = rest.rpartition("@")[2].partition("?")
    place = base.partition("/")[0].lower()
    host, colon, port = place.rpartition(":")
    if not colon or not port.isdecimal():
        host, port = place.removesuffix(":"), str(kind.port) if kind else ""
    elsewhere = sorted(pair for pair in _query_pairs(query) if pair.partition("=")[0] in _PLACES)
    return (kind.name if kind else scheme, "localhost" if host in _LOOPBACK_HOSTS else host, port, *elsewhere)


def refuse_password(url: str, field: str) -> None:
    """Refuse a database URL with a possible password, or with a hidden target.

    Source of libpq's rules: `conninfo_uri_parse_options` in fe-connect.c. libpq ends a user's part at the first '@' or
    '/', knows no fragment, and decodes %XX in names of parameters. URLs of other databases have to follow the same
    rules, then their own parser.

    Args:
        url: The URL.
        field: Path of the key, for the error.

    Raises:
        SpecError: The URL is not allowed; the message never quotes any part of it.
    """
    kind, rest = find_url_kind(url), url.partition("://")[2]
    if kind is None:
        return
    before = re.match(r"[^@/]*(?=@)", rest)
    base, _unused, query = rest[before.end() + 1 if before else 0 :].partition("?")
    names = [unquote(pair.partition("=")[0]).strip() for pair in query.split("&")] if query else []
    if (before and ":" in before[0]) or any(re.search("password|secret", name, re.IGNORECASE) for name in names):
        hint = _("Take it out; use {secret}, or the window, which asks for it.").format(secret=kind.secret)
        raise SpecError(field, _("holds a password, and would be kept"), hint=hint)
    if kind.dialect != STANDARD_DATABASE:  # libpq's rules are those of PostgreSQL
        parse_server_url(url, field)
        return
    host, _unused, path = base.partition("/")
    port = host.rpartition("]")[2].partition(":")[2] if host.startswith("[") else host.partition(":")[2]
    if flaw := _find_flaw(url, port, path, query):
        raise SpecError(field, _("cannot be read as a URL: {flaw}").format(flaw=flaw), hint=_url_hint(kind))
    _refuse_parameters(query, field)
    hosts = [unquote(host), *(unquote(value) for name, _, value in _split_pairs(query) if name == "host")]
    if any("," in each or each.startswith("@") for each in hosts):
        hint = _("Name one host, or the folder of one socket.")
        raise SpecError(field, _("names several servers, or a socket that anybody may listen on"), hint=hint)


def refuse_distant_socket(url: str, field: str, host_url: str) -> None:
    """Refuse the Unix socket of a database where the guest is not on this computer.

    Args:
        url: A database URL that passes `refuse_password`; empty for none.
        field: Path of the key, for the error.
        host_url: URL of the host.

    Raises:
        SpecError: The URL names a Unix socket, and the host is not `local:`.
    """
    if not is_this_computer(host_url) and _names_socket(url):
        problem = _("names a Unix socket of this computer, which does not lead into the guest")
        raise SpecError(field, problem, hint=_("Name the address and port at which the database listens in the guest."))


def _names_socket(url: str) -> bool:
    base, _, query = url.partition("://")[2].partition("?")
    host = unquote(base.rpartition("@")[2].partition("/")[0])
    named = {name: unquote(value) for name, _, value in _split_pairs(query)}
    return "socket" in named or named.get("host", host).startswith("/")


def _find_flaw(url: str, port: str, path: str, query: str) -> str:
    """Return a description of the unreadable part of a URL; empty for none."""
    if "#" in url:
        return _("it holds a '#'")
    if "@" in path:
        return _("there is an '@' behind the host")
    if not _PORT.fullmatch(port):
        return _("its port is no number")
    return _("a parameter has no '='") if any("=" not in pair for pair in _query_pairs(query)) else ""


def _refuse_parameters(query: str, field: str) -> None:
    """Refuse each parameter that is not known to be harmless; raise SpecError.

    The message names the parameter only where its name is a plain word.
    """
    names = [name for name, _, _ in _split_pairs(query)]
    odd = [name for name in names if name not in _ALLOWED_PARAMETERS]
    if odd:
        named = (
            _("the parameter {odd}").format(odd=odd[0])
            if _NAME.fullmatch(odd[0])
            else _("a parameter whose name is no plain word")
        )
        hint = _("Leave it out. A database's URL takes {allowed_parameters}.").format(
            allowed_parameters=", ".join(_ALLOWED_PARAMETERS)
        )
        raise SpecError(field, _("has {named}, which no database's URL may have here").format(named=named), hint=hint)
    if len(set(names)) < len(names):
        raise SpecError(field, _("has a parameter twice"), hint=_("Leave one of them out."))


def _split_pairs(query: str) -> list[tuple[str, str, str]]:
    return [pair.partition("=") for pair in _query_pairs(query)]


def _url_hint(kind: DatabaseKind) -> str:
    return _("Write {template}; other signs than letters and digits as %XX.").format(template=kind.template)


def _query_pairs(query: str) -> list[str]:
    return query.split("&") if query else []
