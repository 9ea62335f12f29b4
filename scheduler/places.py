"""Folders, files and environment variables of DomTune on this computer.

`DOMTUNE_HOME`, when set, holds everything below one folder (tests, portable installs). Otherwise the platform's own
folders are used. The built-in database of root needs a folder that an unprivileged account can enter. So root uses the
system-wide cache folder.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from scheduler.translation import LANGUAGE_VARIABLE, _

HOME_VARIABLE = "DOMTUNE_HOME"
SSH_PASSWORD = "DOMTUNE_SSH_PASSWORD"  # names of variables, not passwords
XAPI_USER = "DOMTUNE_XAPI_USER"
XAPI_PASSWORD = "DOMTUNE_XAPI_PASSWORD"
LIBVIRT_USER = "DOMTUNE_LIBVIRT_USER"
LIBVIRT_PASSWORD = "DOMTUNE_LIBVIRT_PASSWORD"
LIBVIRT_PYTHON = "DOMTUNE_LIBVIRT_PYTHON"
XEN_FOLDER = "DOMTUNE_XEN_SBIN"
GUARD_FOLDER = "DOMTUNE_GUARD_RUN"
BUNDLE_FOLDER = "DOMTUNE_STATE_DIR"

ENVIRONMENT: Mapping[str, str] = {
    HOME_VARIABLE: _("one folder for all of DomTune's files, for example `/srv/domtune`"),
    SSH_PASSWORD: _("password, or passphrase of the key, for a host that is reached by ssh"),
    XAPI_USER: _("user name for XenServer and XCP-ng (default `root`)"),
    XAPI_PASSWORD: _("password for XenServer and XCP-ng"),
    LIBVIRT_USER: _("user name for a libvirtd that asks for one (SASL)"),
    LIBVIRT_PASSWORD: _("password for a libvirtd that asks for one (SASL)"),
    LIBVIRT_PYTHON: _("Python interpreter with libvirt's binding, for example `/usr/bin/python3` (default: detected)"),
    XEN_FOLDER: _("further folder on the host with `xl` or `xm`, for example `/opt/xen/sbin`"),
    GUARD_FOLDER: _("folder of the guard on a host (default `/run/domtune`); a reboot must empty it"),
    BUNDLE_FOLDER: _("folder for the state of a bundle's scripts (default: `domtune` in the runtime folder)"),
    LANGUAGE_VARIABLE: _("language of DomTune's texts, `en` or `pt_BR` (default: that of the system)"),
    "PGPASSWORD, PGPASSFILE": _(
        "password, or password file, for a PostgreSQL that you named; no child process inherits `PGPASSWORD`"
    ),
    "MYSQL_PWD": _(
        "password for a MariaDB or MySQL that you named (default: `password` of `[client]` in "
        "`~/.my.cnf`, mode 0600); no child process inherits it"
    ),
}
"""Environment variable to its meaning, for users."""

_APP = "domtune"

_RECORD = re.compile(r"(.+)\.json|(.+)\.json\.corrupt-[0-9]+", re.DOTALL)


def home_dir() -> Path | None:
    """Return the folder named by `DOMTUNE_HOME`, or None when it is not set."""
    value = os.environ.get(HOME_VARIABLE, "")
    return Path(value).absolute() if value else None


def state_dir() -> Path:
    """Return the folder for results and undo records, which may not exist yet."""
    base = home_dir()
    return base / "state" if base else platformdirs.user_state_path(_APP, appauthor=False)


def journal_dir() -> Path:
    """Return the folder of undo records, one per host that is or may be changed."""
    return state_dir() / "journal"


def applied_dir() -> Path:
    """Return the folder of original settings before `domtune apply`, one per host."""
    return state_dir() / "applied"


def log_path() -> Path:
    """Return the log file of the core."""
    return state_dir() / "domtune.log"


def list_records(folder: Path) -> list[Path]:
    """Return every record in a folder of records, of any kind of file.

    Files named `HOST.json.corrupt-NUMBER` by an earlier version are records, too: a restore of that host is pending.

    Raises:
        OSError: The folder cannot be read.
    """
    try:
        with os.scandir(folder) as entries:
            return [folder / entry.name for entry in entries if _RECORD.fullmatch(entry.name)]
    except FileNotFoundError:
        return []


def record_name(path: Path) -> str:
    """Return the name of a record without its suffix, also for a damaged record.

    For example, `HOST` of `HOST.json`.
    """
    match = _RECORD.fullmatch(path.name)
    return (match[1] or match[2]) if match else path.stem


def store_path() -> Path:
    """Return the SQLite file with all runs."""
    return state_dir() / "runs.sqlite3"


def cache_dir() -> Path:
    """Return the folder for data that can be made again, as the built-in database."""
    base = home_dir()
    if base:
        return base / "cache"
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return platformdirs.site_cache_path(_APP, appauthor=False)
    return platformdirs.user_cache_path(_APP, appauthor=False)
