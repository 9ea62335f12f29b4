"""The password file (~/.pgpass), looked up under the name of the database that is meant.

libpq looks it up by itself, but under the address it connects to; on `local:` that is the relay's, which no file names.
Rules: PostgreSQL's manual, "The Password File"; passwordFromFile and pwdfMatchesString in libpq's fe-connect.c.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from scheduler.databases.postgresql import pg
from scheduler.databases.private_text import private_text

# Where libpq has its default socket: such a socket is called `localhost` in the file.
_DEFAULT_SOCKETS = ("/var/run/postgresql", "/run/postgresql", "/tmp")
_LINE = re.compile(r"((?:\\.|[^:\\])*):" * 4 + r"((?:\\.|[^:\\]|\\$)*).*", re.DOTALL)


def password_behind(target: str, through: str) -> str:
    """Return the password of a database that is reached by another address; empty when the file has none.

    Empty, too, where PGPASSWORD is set: that comes first, and libpq finds it by itself.

    Args:
        target: The database's own URL.
        through: The URL by which it is reached.

    Raises:
        SpecError: Not URLs.
    """
    if os.environ.get("PGPASSWORD"):
        return ""
    meant, used = pg.parameters(target), pg.parameters(through)
    user = used.get("user", "")
    names = (_host(meant), meant.get("port", "5432"), used.get("dbname", user), user)
    for line in _lines(meant):
        *fields, password = line
        if all(field == "*" or _plain(field) == name for field, name in zip(fields, names, strict=True)):
            return _plain(password)
    return ""


def _host(params: Mapping[str, str]) -> str:
    host = params.get("host") or params.get("hostaddr") or os.environ.get("PGHOST", "")
    return "localhost" if not host or host in _DEFAULT_SOCKETS else host


def _lines(params: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield the five fields of each line; nothing where libpq would not read the file: it must be ours alone."""
    named = params.get("passfile") or os.environ.get("PGPASSFILE", "")
    path = Path(named) if named else Path.home() / ".pgpass"
    text = private_text(path)
    for line in text.split("\n"):
        fields = _LINE.fullmatch(line.rstrip("\r"))
        if fields and not line.startswith("#"):
            yield list(fields.groups())


def _plain(field: str) -> str:
    return re.sub(r"\\(.)", r"\1", field, flags=re.DOTALL)
