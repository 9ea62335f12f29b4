"""Folders and files of DomTune on this computer.

`DOMTUNE_HOME`, when set, holds everything below one folder (tests, portable installs). Otherwise the platform's own
folders are used. The built-in database of root needs a folder that an unprivileged account can enter. So root uses the
system-wide cache folder.
"""

import os
import re
from pathlib import Path

import platformdirs

_APP = "domtune"

_RECORD = re.compile(r"(.+)\.json|(.+)\.json\.corrupt-[0-9]+", re.DOTALL)


def home_dir() -> Path | None:
    """Return the folder named by `DOMTUNE_HOME`, or None when it is not set."""
    value = os.environ.get("DOMTUNE_HOME", "")
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
