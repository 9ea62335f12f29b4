"""Translation of error numbers of MariaDB and MySQL from any driver.

Numbers from 1000 are the server's (errmsg-utf8.txt). Numbers from 2000 are the client library's (CR_*), which PyMySQL
also uses.
"""

import re
from collections.abc import Mapping

from scheduler.databases.mariadb.option_file import option_file_path
from scheduler.databases.private_files import explain_ignored
from scheduler.errors import DatabaseUnreachable, DatabaseUnsuitable, LoadError
from scheduler.model.sentence_texts import join_sentences
from scheduler.translation import _

DEADLOCK, LOCK_WAIT = 1213, 1205
REPEATED = (DEADLOCK, LOCK_WAIT)
"""Errors with a request to repeat: a transaction rolled back, or a long lock wait."""

OVERRUN = frozenset({1969, 3024})
"""Errors of a statement beyond a time limit: MariaDB's number and MySQL's."""

UNKNOWN_VARIABLE = 1193
PLUGIN_LACKS = 2059
NOT_SUPPORTED = 1235

REFUSED_LOGIN = _("this login would reveal the password")
"""DomTune's message for a server that requests a revealing login.

`login_security` refuses such logins.
"""

GONE = frozenset({0, 1053, 1077, 1927, 2006, 2013, 2014, 2055})  # 0: a connection that PyMySQL has closed
NOT_SEEN = frozenset({1044, 1049, 1054, 1142, 1143, 1146})
"""Errors for a missing database, column or table, or a missing right."""

NO_RIGHT = frozenset({1044, 1142, 1143, 1227, 1290, 1410, 1792, 1836})
_NEEDED_RIGHTS = _(
    "The user needs all privileges on our databases (`domtune\\_%`), and a server that is not read-only."
)
_LOCK = "GET_LOCK"
_NO_LOCKS = _("Nodes of a Galera cluster have no such locks. Name a server outside the cluster.")
_DISK_FULL = frozenset({1021, 1026, 1114})
_SLOW = r"timed out|timeout|\(110\b|error: 110\b"
_NO_CONNECTION = frozenset({2002, 2003, 2006, 2013, 2055})
_LOGIN = frozenset({1045, 1698})
_NO_PLUGIN = r"[Pp]lugin \S+ could not be loaded"  # of a C library that finds only hash logins (NO_PLUGINS)

HOW_TO_GIVE = _(
    "Give it in the window, or on standard input of check-database. If MYSQL_PWD or ~/.my.cnf has it, a plan needs "
    "--allow-password."
)

_CAUSES: Mapping[int, tuple[str, str]] = {
    1040: (_("it has no connection left"), _("Raise max_connections, or take fewer users.")),
    1044: (_("the user has no right to that database"), "GRANT it, or name another."),
    1049: (_("there is no such database"), _("Create it with CREATE DATABASE, or name another.")),
    1053: (_("the server is starting or stopping"), _("Try again in a few seconds.")),
    1129: (
        _("the server blocks this computer after many failed connections"),
        _("Run FLUSH HOSTS there; MySQL: TRUNCATE TABLE performance_schema.host_cache."),
    ),
    1130: (
        _("the server refuses logins from this computer"),
        _("Create the user for this computer's address: CREATE USER NAME@ADDRESS."),
    ),
    1203: (_("the user has no connection left"), _("Raise max_user_connections, or take fewer users.")),
    1226: (_("the user has no connection left"), _("Raise the user's limits (ALTER USER), or take fewer users.")),
}
_TEXTS: tuple[tuple[str, str, str], ...] = (
    (
        f"{REFUSED_LOGIN}|{_NO_PLUGIN}",
        _("the server asks for the password in readable form"),
        _(
            "DomTune sends the password only over an encrypted connection with a verified certificate, or through a "
            "Unix socket in a protected folder. Add ?ssl-mode=verify_identity to the URL (or "
            "verify_ca, and ssl-ca=FILE of a private authority)."
        ),
    ),
    (
        r"cryptography|caching_sha2|auth_gssapi|plugin",
        _("the user logs in by a method that needs more than a password"),
        _("Create a user that logs in by caching_sha2_password (MySQL), mysql_native_password or ed25519 (MariaDB)."),
    ),
    (
        _("does not check certificates"),
        _("this sysbench uses a library that does not check the server's certificate"),
        _("Install a sysbench that uses MariaDB's library (Debian's does), or take another kind of load."),
    ),
    (
        r"certificate verify failed|CERTIFICATE_VERIFY|certificate validation failure|self.signed",
        _("the certificate is from an unknown authority or belongs to another host"),
        _("Name the file of the authority (ssl-ca=FILE), or choose a weaker ssl-mode."),
    ),
    (
        r"support.* TLS|support.* SSL|SSL is required|TLS.*required",
        _("it takes no encrypted connections"),
        _("Give it a certificate (ssl_cert, ssl_key), or leave ssl-mode out."),
    ),
    (
        _SLOW,
        _("no answer within 10 s"),
        _("Is the address right? A firewall in between?"),
    ),
    (
        r"not known|getaddrinfo|resolve|Unknown .*host|No address",
        _("the name of the host is unknown"),
        _("Check its spelling."),
    ),
    (
        r"Permission denied|\(13\b",
        _("this account may not connect to its socket"),
        _("Run DomTune as an account that may enter the socket's folder, or name the server's address and port."),
    ),
    (
        r"No such file|refused|\((2|111|115)\b|Can't connect",
        _("no server listens there"),
        _("Is the server running, and listening on this address?"),
    ),
    (
        r"Lost connection|gone away|reset|closed",
        _("it closed the connection"),
        _("Does it still run? Its log may say more."),
    ),
)


def number_and_text(error: BaseException) -> tuple[int, str]:
    """Return a driver's error number, 0 for none, and its message on one line."""
    arguments = error.args if not isinstance(error, OSError) else ()
    number = arguments[0] if arguments and isinstance(arguments[0], int) else 0
    said = arguments[1] if len(arguments) > 1 and number else str(error)
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return number, " ".join(text.split()) or type(error).__name__


def is_slow(error: BaseException) -> bool:
    """Return True when the server was too slow and may be asked again."""
    number, text = number_and_text(error)
    return isinstance(error, TimeoutError) or (number in _NO_CONNECTION and bool(re.search(_SLOW, text)))


def unreachable_error(error: BaseException, place: str) -> DatabaseUnreachable:
    """Return the error for a failed connection.

    Args:
        error: Error of the driver or the socket.
        place: Target of the connection.
    """
    number, text = number_and_text(error)
    cause, hint = _find_cause(number, text)
    return DatabaseUnreachable(_("no connection to {place}: {cause}").format(place=place, cause=cause), hint=hint)


def _find_cause(number: int, text: str) -> tuple[str, str]:
    if number in _LOGIN and not re.search(_NO_PLUGIN, text):
        if "using password: NO" in text or number not in {1045}:
            return _("it wants a password"), join_sentences(HOW_TO_GIVE, explain_ignored(option_file_path()))
        return _("user or password is wrong"), _("Check both; passwords are never stored.")
    if number in _CAUSES:
        return _CAUSES[number]
    if not number or number >= 2000 or number in _LOGIN:
        for pattern, cause, hint in _TEXTS:
            if re.search(pattern, text, re.IGNORECASE):
                return cause, hint
    return _("{text} (error {number})").format(text=text, number=number) if number else text, ""


def statement_error(doing: str, error: BaseException) -> LoadError:
    """Return the error for a failed statement, with the server's message.

    Args:
        doing: The activity, for the message.
        error: Error of the driver.
    """
    number, said = number_and_text(error)
    if number in _DISK_FULL or re.search(r"\berror:? 28\b|No space left", said):
        return LoadError(
            _("{doing}: the database's disk is full ({answer})").format(doing=doing, answer=said),
            hint=_("Free some space there."),
        )
    if number == LOCK_WAIT:
        hint = _("Another session holds it, perhaps idle in a transaction. SHOW PROCESSLIST shows all; KILL ends one.")
        return LoadError(
            _("{doing}: a lock on DomTune's tables was not free in time ({answer})").format(doing=doing, answer=said),
            hint=hint,
        )
    if number in NO_RIGHT or (number == NOT_SUPPORTED and _LOCK in said):
        return DatabaseUnsuitable(f"{doing}: {said}", hint=_NO_LOCKS if _LOCK in said else _NEEDED_RIGHTS)
    if number in GONE:
        return DatabaseUnreachable(
            _("{doing}: the connection broke ({answer})").format(doing=doing, answer=said),
            hint=_("Does the database still run?"),
        )
    if number in OVERRUN:
        hint = _("Raise max_statement_time there (MySQL: max_execution_time), or leave it at 0.")
        return LoadError(
            _("{doing}: a statement took longer than the server allows ({answer})").format(doing=doing, answer=said),
            hint=hint,
        )
    return LoadError(_("{doing}: {answer} (error {number})").format(doing=doing, answer=said, number=number))
