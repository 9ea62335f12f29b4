"""Limit the logins that a PostgreSQL server may ask for, so that no password reaches it in a readable form.

libpq's `require_auth` (PostgreSQL's manual, Database Connection Control Functions, from version 16 on). A server asks
for a method, and libpq obeys: to `password` it sends the password itself, to `md5` a hash that is quickly broken.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import psycopg2.extensions

from scheduler.databases.unix_sockets import is_closed_folder
from scheduler.errors import DatabaseUnreachable

LEAST_LIBPQ = 160_000
_CHECKED = ("verify-ca", "verify-full")
_WEAK = "!password,!md5"


def limit_logins(named: Mapping[str, str]) -> dict[str, str]:
    """Return libpq's parameters that refuse weak logins; none where nobody else can listen.

    Args:
        named: The parameters of the URL.

    Raises:
        DatabaseUnreachable: This libpq is too old to refuse anything.
    """
    host = named.get("host", "")
    if named.get("sslmode", os.environ.get("PGSSLMODE", "")) in _CHECKED:
        return {}
    if host.startswith("/") and is_closed_folder(Path(host)):
        return {}
    if psycopg2.extensions.libpq_version() < LEAST_LIBPQ:
        raise DatabaseUnreachable(
            "the libpq of this psycopg2 cannot refuse to send a password in clear text; version 16 or newer can",
            hint="Install psycopg2-binary 2.9.10 or newer, or add ?sslmode=verify-full to the URL.",
        )
    return {"require_auth": _WEAK}
