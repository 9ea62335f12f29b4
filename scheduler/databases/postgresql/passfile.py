"""A user's own password for PostgreSQL: PGPASSWORD, then ~/.pgpass.

libpq would search both by itself, for any server that a plan names. `pg_client.parse_parameters` disables this search.
The password is read here, once the user has named the server. Rules: PostgreSQL's manual, "The Password File";
passwordFromFile and pwdfMatchesString in libpq's fe-connect.c.
"""

import getpass
import os
import re
from collections.abc import Iterator, Mapping

from scheduler.databases.postgresql import pg_client
from scheduler.databases.private_files import read_private_text

# libpq's default folders for the socket: the file refers to such a socket as `localhost`.
_DEFAULT_SOCKETS = ("/var/run/postgresql", "/run/postgresql", "/tmp")
_LINE = re.compile(r"((?:\\.|[^:\\])*):" * 4 + r"((?:\\.|[^:\\]|\\$)*).*", re.DOTALL)


def own_password(url: str) -> str:
    """Return the password from PGPASSWORD or the file; empty for none.

    Args:
        url: URL of the database.

    Raises:
        SpecError: The URL is not valid.
    """
    meant = pg_client.parse_parameters(url)
    if password := os.environ.get("PGPASSWORD", ""):
        return password
    user = meant.get("user") or os.environ.get("PGUSER") or getpass.getuser()
    port = meant.get("port") or os.environ.get("PGPORT") or "5432"
    names = (_choose_host(meant), port, meant.get("dbname", user), user)
    for *fields, password in _read_entries():
        if all(field == "*" or _unescape_field(field) == name for field, name in zip(fields, names, strict=True)):
            return _unescape_field(password)
    return ""


def _choose_host(params: Mapping[str, str]) -> str:
    host = params.get("host") or os.environ.get("PGHOST", "")
    return "localhost" if not host or host in _DEFAULT_SOCKETS else host


def _read_entries() -> Iterator[list[str]]:
    """Yield the five fields of each line; nothing for a file that is not private.

    libpq ignores such files, too.
    """
    for line in read_private_text(pg_client.password_file_path()).split("\n"):
        fields = _LINE.fullmatch(line.rstrip("\r"))
        if fields and not line.startswith("#"):
            yield list(fields.groups())


def _unescape_field(field: str) -> str:
    return re.sub(r"\\(.)", r"\1", field, flags=re.DOTALL)
