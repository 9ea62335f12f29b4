"""Encryption of connections to MariaDB and MySQL, and checks of the server.

Encryption affects the results: it takes CPU time of the users and the guest. So a connection is encrypted only on
request, and a result names the encryption in force.
"""

import ssl
from collections.abc import Mapping
from typing import Any

from scheduler.errors import DatabaseUnreachable
from scheduler.model.mariadb_urls import PLAIN, REQUIRED, VERIFY_CA, VERIFY_IDENTITY, ServerUrl
from scheduler.translation import _


def tls_parameters(found: ServerUrl) -> dict[str, str]:
    """Return the encryption parameters of a connection; empty without encryption."""
    if found.ssl_mode == PLAIN:
        return {}
    return {"ssl_mode": found.ssl_mode, **({"ssl_ca": found.ssl_ca} if found.ssl_ca else {})}


def is_checked(params: Mapping[str, str]) -> bool:
    """Return True for an encrypted connection with a checked certificate."""
    return params.get("ssl_mode", PLAIN) in (VERIFY_CA, VERIFY_IDENTITY)


def pymysql_arguments(params: Mapping[str, str]) -> dict[str, Any]:
    """Return PyMySQL's arguments for encryption; a context makes it mandatory.

    Raises:
        DatabaseUnreachable: The file of authorities cannot be read.
    """
    mode = params.get("ssl_mode", PLAIN)
    return {"ssl_disabled": True} if mode == PLAIN else {"ssl": _tls_context(mode, params.get("ssl_ca", ""))}


def mysqlclient_arguments(params: Mapping[str, str]) -> dict[str, Any]:
    """Return mysqlclient's arguments for encryption."""
    mode, authorities = params.get("ssl_mode", PLAIN), params.get("ssl_ca", "")
    return {"ssl_mode": mode.upper(), **({"ssl": {"ca": authorities}} if authorities else {})}


def _tls_context(mode: str, authorities: str) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=authorities or None)
    except OSError as error:  # includes ssl.SSLError: the file contains no certificates
        said = error.strerror or error
        hint = _("ssl-ca names a file of certificates in PEM.")
        raise DatabaseUnreachable(
            _("the authorities in {authorities} cannot be read: {answer}").format(authorities=authorities, answer=said),
            hint=hint,
        ) from error
    # The certificates that MySQL signs at its first start lack extensions required by Python 3.13 and newer.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.check_hostname = mode == VERIFY_IDENTITY
    if mode == REQUIRED:
        context.verify_mode = ssl.CERT_NONE
    return context
