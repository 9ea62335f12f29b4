"""Limits on the logins that a PostgreSQL server may request.

The limits ensure that no password reaches the server in a readable form. DomTune uses libpq's `require_auth`
(PostgreSQL's manual, Database Connection Control Functions, from version 16 on). A server requests a method, and libpq
complies. For `password`, libpq sends the password itself; for `md5`, a weak hash.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import psycopg2.extensions

from scheduler.databases.unix_sockets import is_closed_folder
from scheduler.errors import DatabaseUnreachable
from scheduler.translation import _

LEAST_LIBPQ = 160_000
_CHECKED = ("verify-ca", "verify-full")
_WEAK = "!password,!md5"


def limit_logins(named: Mapping[str, str]) -> dict[str, str]:
    """Return libpq's parameters that refuse weak logins; none for a safe connection.

    A safe connection checks the server's certificate, or uses a Unix socket in a closed folder.

    Args:
        named: Parameters of the URL.

    Raises:
        DatabaseUnreachable: This libpq is too old to refuse logins.
    """
    host = named.get("host", "")
    if named.get("sslmode", os.environ.get("PGSSLMODE", "")) in _CHECKED:
        return {}
    if host.startswith("/") and is_closed_folder(Path(host)):
        return {}
    if psycopg2.extensions.libpq_version() < LEAST_LIBPQ:
        raise DatabaseUnreachable(
            _("the libpq of this psycopg2 cannot refuse to send a password in clear text; version 16 or newer can"),
            hint=_("Install psycopg2-binary 2.9.10 or newer, or add ?sslmode=verify-full to the URL."),
        )
    return {"require_auth": _WEAK}
