"""A user's own password for a PostgreSQL: PGPASSWORD, then the password file (~/.pgpass).

libpq would look both up by itself, whatever server a plan names. It is told not to (`pg.parameters`): the password is
looked up here, once the person has named the server.
Rules: PostgreSQL's manual, "The Password File"; passwordFromFile and pwdfMatchesString in libpq's fe-connect.c.
"""

import getpass
import os
import re
from collections.abc import Iterator, Mapping

from scheduler.databases.postgresql import pg_client
from scheduler.databases.private_files import read_private_text

# Where libpq has its default socket: such a socket is called `localhost` in the file.
_DEFAULT_SOCKETS = ("/var/run/postgresql", "/run/postgresql", "/tmp")
_LINE = re.compile(r"((?:\\.|[^:\\])*):" * 4 + r"((?:\\.|[^:\\]|\\$)*).*", re.DOTALL)


def own_password(url: str) -> str:
    """Return the password that PGPASSWORD or the file has for a database; empty where neither has one.

    Args:
        url: The database's URL.

    Raises:
        SpecError: Not a URL.
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
    """Yield the five fields of each line; nothing where libpq would not read the file: it must be ours alone."""
    for line in read_private_text(pg_client.password_file_path()).split("\n"):
        fields = _LINE.fullmatch(line.rstrip("\r"))
        if fields and not line.startswith("#"):
            yield list(fields.groups())


def _unescape_field(field: str) -> str:
    return re.sub(r"\\(.)", r"\1", field, flags=re.DOTALL)
