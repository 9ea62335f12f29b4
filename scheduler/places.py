"""Where DomTune keeps things on this computer.

`DOMTUNE_HOME`, when set, holds everything below one folder (tests, portable installs); otherwise the
platform's own folders are used. Root's embedded database needs a folder that an unprivileged account can
enter, hence the system-wide cache folder for root.
"""

import os
from pathlib import Path

import platformdirs

_APP = "domtune"


def home() -> Path | None:
    """Return the folder named by `DOMTUNE_HOME`, or None when it is not set."""
    value = os.environ.get("DOMTUNE_HOME", "")
    return Path(value).absolute() if value else None


def state_dir() -> Path:
    """Return the folder for results and undo records; it may not exist yet."""
    base = home()
    return base / "state" if base else platformdirs.user_state_path(_APP, appauthor=False)


def journal_dir() -> Path:
    """Return the folder that holds one undo record per host that is, or may be, changed."""
    return state_dir() / "journal"


def store_path() -> Path:
    """Return the SQLite file with all runs."""
    return state_dir() / "runs.sqlite3"


def cache_dir() -> Path:
    """Return the folder for what can be made again: the embedded database and its data."""
    base = home()
    if base:
        return base / "cache"
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return platformdirs.site_cache_path(_APP, appauthor=False)
    return platformdirs.user_cache_path(_APP, appauthor=False)
