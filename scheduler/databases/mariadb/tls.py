"""What encrypts connections to MariaDB and MySQL, and what is checked of the server.

Encryption is part of what is measured: it takes CPU time of the users and of the guest. So it is never taken where
nobody asked for it, and a result says what was in force.
"""

import ssl
from collections.abc import Mapping
from typing import Any

from scheduler.errors import DatabaseUnreachable
from scheduler.model.mariadb_urls import PLAIN, REQUIRED, VERIFY_CA, VERIFY_IDENTITY, ServerUrl


def tls_parameters(found: ServerUrl) -> dict[str, str]:
    """Return what a connection's parameters say of encryption; nothing where there is none."""
    if found.ssl_mode == PLAIN:
        return {}
    return {"ssl_mode": found.ssl_mode, **({"ssl_ca": found.ssl_ca} if found.ssl_ca else {})}


def is_checked(params: Mapping[str, str]) -> bool:
    """Return whether the connection is encrypted and the server's certificate is checked."""
    return params.get("ssl_mode", PLAIN) in (VERIFY_CA, VERIFY_IDENTITY)


def pymysql_arguments(params: Mapping[str, str]) -> dict[str, Any]:
    """Return PyMySQL's words for it: with a context it goes on encrypted, or not at all.

    Raises:
        DatabaseUnreachable: The file of authorities cannot be read.
    """
    mode = params.get("ssl_mode", PLAIN)
    return {"ssl_disabled": True} if mode == PLAIN else {"ssl": _tls_context(mode, params.get("ssl_ca", ""))}


def mysqlclient_arguments(params: Mapping[str, str]) -> dict[str, Any]:
    """Return mysqlclient's words for it."""
    mode, authorities = params.get("ssl_mode", PLAIN), params.get("ssl_ca", "")
    return {"ssl_mode": mode.upper(), **({"ssl": {"ca": authorities}} if authorities else {})}


def _tls_context(mode: str, authorities: str) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=authorities or None)
    except OSError as error:  # ssl.SSLError is one: what it holds are no certificates
        said = error.strerror or error
        hint = "ssl-ca names a file of certificates in PEM."
        raise DatabaseUnreachable(f"the authorities in {authorities} cannot be read: {said}", hint=hint) from error
    # What MySQL signs for itself at its first start lacks extensions on which Python 3.13 and newer insist.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.check_hostname = mode == VERIFY_IDENTITY
    if mode == REQUIRED:
        context.verify_mode = ssl.CERT_NONE
    return context
