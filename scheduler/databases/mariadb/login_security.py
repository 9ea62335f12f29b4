"""Refusal of logins that would reveal a password.

A server chooses the login, and PyMySQL complies. `mysql_clear_password`, `dialog` and the full login of
`caching_sha2_password` send the password itself, or encrypted with a key from the same server. `mysql_old_password`
sends a weak hash. Source: MySQL 8.4 Reference Manual, "Client-Side Cleartext Pluggable Authentication" and "Caching
SHA-2 Pluggable Authentication". All of them are safe over an encrypted connection with a checked certificate, and over
a closed Unix socket.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from pymysql.connections import Connection
from pymysql.constants import CR
from pymysql.err import OperationalError

from scheduler.databases.mariadb.mariadb_errors import REFUSED_LOGIN
from scheduler.databases.mariadb.tls import is_checked
from scheduler.databases.unix_sockets import is_closed_folder

_REVEALING = ("mysql_clear_password", "dialog", "mysql_old_password", "sha256_password")
_DONE = b"\x01\x03"  # of caching_sha2_password: the hash was sufficient


class CarefulConnection(Connection):
    """Connection whose first answer reveals no password, either.

    A server announces a login in its greeting. PyMySQL answers `sha256_password` with the password itself over any
    encrypted connection, without a check of the server.
    """

    _auth_plugin_name: str
    _secure: bool

    def trust_socket(self) -> None:
        """Allow the password in any form, as PyMySQL does for its own sockets."""
        self._secure = True

    def _get_server_information(self) -> None:
        super()._get_server_information()  # type: ignore[misc] # not in its stubs
        if self._auth_plugin_name in _REVEALING:
            self._auth_plugin_name = "mysql_native_password"  # a hash; a server may then request another login


class _RefusedLogin:
    """Refusal of a login.

    PyMySQL creates an instance when the server requests the login.
    """

    def __init__(self, _connection: object) -> None:
        pass

    def authenticate(self, _packet: object) -> NoReturn:
        """Raise PyMySQL's error with DomTune's message."""
        _refuse_login()


class _HashOnly:
    """`caching_sha2_password` restricted to its hash.

    Args:
        connection: PyMySQL's connection.
    """

    def __init__(self, connection: Any) -> None:  # noqa: ANN401 - PyMySQL's internals
        self._connection = connection

    def authenticate(self, packet: Any) -> Any:  # noqa: ANN401 - as above
        """Send the hash if not sent yet; return the packet that ends the login."""
        connection = self._connection
        if packet.is_auth_switch_request():
            salt = bytes(packet.read_all()).removesuffix(b"\0")
            connection.write_packet(_scramble_password(connection.password, salt))
            packet = connection._read_packet()  # noqa: SLF001 - as in PyMySQL's own handlers
            packet.check_error()
            if packet.is_ok_packet():
                return packet
        if bytes(packet.get_all_data()[:2]) != _DONE:
            _refuse_login()
        return connection._read_packet()  # noqa: SLF001 - as above


NO_PLUGINS: dict[str, str] = dict.fromkeys(("MARIADB_PLUGIN_DIR", "LIBMYSQL_PLUGIN_DIR"), "/nonexistent")
"""Environment that stops the C libraries from loading login plugins.

The revealing logins are files that such a library loads on request. `mysql_native_password` is built in. Sources:
Connector/C 3.3, ma_client_plugin.c; MySQL 8.4 C API, "Environment Variables".
"""


def _refuse_login() -> NoReturn:
    raise OperationalError(CR.CR_AUTH_PLUGIN_ERR, REFUSED_LOGIN)


def _scramble_password(password: bytes, salt: bytes) -> bytes:
    """Return the hash of a password for caching_sha2_password; empty for no password.

    The formula is XOR(SHA256(password), SHA256(SHA256(SHA256(password)), salt)) (MySQL 8.4, "Caching SHA-2 Pluggable
    Authentication").
    """
    if not password:
        return b""
    first = hashlib.sha256(password).digest()
    mask = hashlib.sha256(hashlib.sha256(first).digest() + salt).digest()
    return bytes(one ^ other for one, other in zip(first, mask, strict=True))


def is_trusted(params: Mapping[str, str]) -> bool:
    """Return True when a password may be sent to the server in any form.

    The server needs a checked certificate, or a Unix socket in a folder without write access for everyone.
    """
    return is_checked(params) or (params["port"] == "0" and is_closed_folder(Path(params["host"]).parent))


def login_limits(*, trusted: bool) -> dict[str, Any]:
    """Return PyMySQL's parameters that refuse revealing logins.

    None are needed for a trusted server.
    """
    if trusted:
        return {}
    return {"auth_plugin_map": {**dict.fromkeys(_REVEALING, _RefusedLogin), "caching_sha2_password": _HashOnly}}
