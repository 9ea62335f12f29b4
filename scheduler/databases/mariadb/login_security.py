"""Logins that would reveal a password, refused: a server asks for a login, and PyMySQL obeys whatever it asks for.

`mysql_clear_password`, `dialog` and the full login of `caching_sha2_password` send the password itself (or encrypted
with a key that this same server has just named), `mysql_old_password` a hash that is broken at once: MySQL 8.4
Reference Manual, "Client-Side Cleartext Pluggable Authentication" and "Caching SHA-2 Pluggable Authentication". They
are fine where the connection is encrypted and the server's certificate was checked, and through a closed Unix socket.
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
_DONE = b"\x01\x03"  # of caching_sha2_password: the hash was enough


class CarefulConnection(Connection):
    """A connection that sends nothing revealing in its first answer, either.

    A server announces a login in its greeting. PyMySQL answers `sha256_password` with the password itself as soon as
    the connection is encrypted, whoever is at its other end.
    """

    _auth_plugin_name: str
    _secure: bool

    def trust_socket(self) -> None:
        """Give the server the password in any form, as PyMySQL does at sockets that it opens itself."""
        self._secure = True

    def _get_server_information(self) -> None:
        super()._get_server_information()  # type: ignore[misc] # not in its stubs
        if self._auth_plugin_name in _REVEALING:
            self._auth_plugin_name = "mysql_native_password"  # a hash; a server that wants another login asks for it


class _RefusedLogin:
    """A login that is not made. PyMySQL makes one of these when the server asks for it."""

    def __init__(self, _connection: object) -> None:
        pass

    def authenticate(self, _packet: object) -> NoReturn:
        """Raise PyMySQL's error, with our words."""
        _refuse_login()


class _HashOnly:
    """`caching_sha2_password` as far as its hash goes.

    Args:
        connection: PyMySQL's.
    """

    def __init__(self, connection: Any) -> None:  # noqa: ANN401 - its internals
        self._connection = connection

    def authenticate(self, packet: Any) -> Any:  # noqa: ANN401 - likewise
        """Send the hash where it was not sent yet; return the packet that ends the login."""
        connection = self._connection
        if packet.is_auth_switch_request():
            salt = bytes(packet.read_all()).removesuffix(b"\0")
            connection.write_packet(_scramble_password(connection.password, salt))
            packet = connection._read_packet()  # noqa: SLF001 - what PyMySQL's own handlers do
            packet.check_error()
            if packet.is_ok_packet():
                return packet
        if bytes(packet.get_all_data()[:2]) != _DONE:
            _refuse_login()
        return connection._read_packet()  # noqa: SLF001 - likewise


NO_PLUGINS: dict[str, str] = dict.fromkeys(("MARIADB_PLUGIN_DIR", "LIBMYSQL_PLUGIN_DIR"), "/nonexistent")
"""Environment of programs over the C libraries: these logins are files that such a library loads when it is asked to.

`mysql_native_password` is built in. Connector/C 3.3, ma_client_plugin.c; MySQL 8.4 C API, "Environment Variables".
"""


def _refuse_login() -> NoReturn:
    raise OperationalError(CR.CR_AUTH_PLUGIN_ERR, REFUSED_LOGIN)


def _scramble_password(password: bytes, salt: bytes) -> bytes:
    """Return XOR(SHA256(password), SHA256(SHA256(SHA256(password)), salt)); empty for no password."""
    if not password:
        return b""
    first = hashlib.sha256(password).digest()
    mask = hashlib.sha256(hashlib.sha256(first).digest() + salt).digest()
    return bytes(one ^ other for one, other in zip(first, mask, strict=True))


def is_trusted(params: Mapping[str, str]) -> bool:
    """Return whether a password may go to a server in any form: nobody else can be, or listen, at the other end.

    That holds where the server's certificate is checked, and for a Unix socket in a folder that not everybody may
    write to.
    """
    return is_checked(params) or (params["port"] == "0" and is_closed_folder(Path(params["host"]).parent))


def login_limits(*, trusted: bool) -> dict[str, Any]:
    """Return PyMySQL's parameters that refuse revealing logins; none where the server may have the password."""
    if trusted:
        return {}
    return {"auth_plugin_map": {**dict.fromkeys(_REVEALING, _RefusedLogin), "caching_sha2_password": _HashOnly}}
