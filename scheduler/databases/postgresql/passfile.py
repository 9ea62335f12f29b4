"""A user's own password for a PostgreSQL: PGPASSWORD, then the password file (~/.pgpass).

libpq would look both up by itself, whatever server a plan names. It is told not to (`pg.parameters`): the password is
looked up here, once the person has named the server.
Rules: PostgreSQL's manual, "The Password File"; passwordFromFile and pwdfMatchesString in libpq's fe-connect.c.
"""

import getpass
import os
import re
from collections.abc import Iterator, Mapping

from scheduler.databases.postgresql import pg
from scheduler.databases.private_text import private_text

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
    meant = pg.parameters(url)
    if password := os.environ.get("PGPASSWORD", ""):
        return password
    user = meant.get("user") or os.environ.get("PGUSER") or getpass.getuser()
    port = meant.get("port") or os.environ.get("PGPORT") or "5432"
    names = (_host(meant), port, meant.get("dbname", user), user)
    for *fields, password in _lines():
        if all(field == "*" or _plain(field) == name for field, name in zip(fields, names, strict=True)):
            return _plain(password)
    return ""


def _host(params: Mapping[str, str]) -> str:
    host = params.get("host") or os.environ.get("PGHOST", "")
    return "localhost" if not host or host in _DEFAULT_SOCKETS else host


def _lines() -> Iterator[list[str]]:
    """Yield the five fields of each line; nothing where libpq would not read the file: it must be ours alone."""
    for line in private_text(pg.password_file()).split("\n"):
        fields = _LINE.fullmatch(line.rstrip("\r"))
        if fields and not line.startswith("#"):
            yield list(fields.groups())


def _plain(field: str) -> str:
    return re.sub(r"\\(.)", r"\1", field, flags=re.DOTALL)
