"""Driver of the users: mysqlclient if installed, else PyMySQL.

mysqlclient is under the GPL, and so never a dependency of DomTune. Users may install mysqlclient for its speed.
"""

import contextlib
import importlib.metadata
import os
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

from scheduler.databases.mariadb.login_security import NO_PLUGINS
from scheduler.databases.mariadb.tls import is_checked
from scheduler.model.mariadb_urls import VERIFY_CA
from scheduler.translation import _

FAST, PLAIN = "mysqlclient", "PyMySQL"
# client CPU relative to sysbench with the same text, 1 to 32 users (docs/decisions/0039)
_CPU = {FAST: "0.9 to 1.3", PLAIN: "1.4 to 4.5"}


def fast_driver(params: Mapping[str, str]) -> ModuleType | None:
    """Return mysqlclient's module; None if missing or unable to do as requested.

    With MariaDB's own library (Connector/C 3.3, `MYSQL_OPT_SSL_VERIFY_SERVER_CERT`), mysqlclient checks both the name
    and the authority of a certificate, or neither.
    """
    if params.get("ssl_mode") == VERIFY_CA:
        return None
    if not is_checked(params):
        os.environ.update(NO_PLUGINS)
    with contextlib.suppress(ImportError):
        return import_module("MySQLdb")
    return None


def users_driver(params: Mapping[str, str]) -> str:
    """Return the users' driver, its version, and its CPU cost for the client."""
    module = fast_driver(params)
    if module is None:
        name, version = PLAIN, importlib.metadata.version("pymysql")
    else:
        name, version = FAST, ".".join(str(part) for part in getattr(module, "version_info", ("unknown",))[:3])
    return _("{name} {version}, {cpu} times sysbench's client CPU per statement").format(
        name=name, version=version, cpu=_CPU[name]
    )
