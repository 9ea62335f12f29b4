"""Where DomTune keeps things on this computer.

`DOMTUNE_HOME`, when set, holds everything below one folder (tests, portable installs); otherwise the
platform's own folders are used. Root's embedded database needs a folder that an unprivileged account can
enter, hence the system-wide cache folder for root.
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
    """Return the folder for results and undo records; it may not exist yet."""
    base = home_dir()
    return base / "state" if base else platformdirs.user_state_path(_APP, appauthor=False)


def journal_dir() -> Path:
    """Return the folder that holds one undo record per host that is, or may be, changed."""
    return state_dir() / "journal"


def applied_dir() -> Path:
    """Return the folder that holds what was there before `domtune apply`, a record per host."""
    return state_dir() / "applied"


def persist_dir() -> Path:
    """Return the folder that holds what was kept before `domtune persist`, a record per guest."""
    return state_dir() / "kept"


def log_path() -> Path:
    """Return the file that the core logs to."""
    return state_dir() / "domtune.log"


def list_records(folder: Path) -> list[Path]:
    """Return every record in one of those folders, whatever kind of file it is; raises OSError.

    Those that an earlier version called `HOST.json.corrupt-NUMBER` are records, too: nobody has put that host back.
    """
    try:
        with os.scandir(folder) as entries:
            return [folder / entry.name for entry in entries if _RECORD.fullmatch(entry.name)]
    except FileNotFoundError:
        return []


def record_name(path: Path) -> str:
    """Return the name of the host's record, without its ending: `HOST` of `HOST.json`, too where it is damaged."""
    match = _RECORD.fullmatch(path.name)
    return (match[1] or match[2]) if match else path.stem


def store_path() -> Path:
    """Return the SQLite file with all runs."""
    return state_dir() / "runs.sqlite3"


def cache_dir() -> Path:
    """Return the folder for what can be made again: the embedded database and its data."""
    base = home_dir()
    if base:
        return base / "cache"
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return platformdirs.site_cache_path(_APP, appauthor=False)
    return platformdirs.user_cache_path(_APP, appauthor=False)
