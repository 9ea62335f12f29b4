"""Where log lines go: a file for the person at three in the morning, standard error for warnings."""

import logging
import logging.handlers
import sys

from scheduler import places

_LINE = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
_FILE_BYTES = 1_000_000
_FILES = 3


def log_to_file(*, verbose: bool) -> None:
    """Set logging up for a command; a log that cannot be written is no reason not to restore a host."""
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    screen = logging.StreamHandler(sys.stderr)
    screen.setLevel(logging.INFO if verbose else logging.WARNING)
    screen.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    root.addHandler(screen)
    path = places.state_dir() / "domtune.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = logging.handlers.RotatingFileHandler(path, maxBytes=_FILE_BYTES, backupCount=_FILES, encoding="utf-8")
    except OSError as error:
        root.warning("no log is kept in %s: %s", path, error)
        return
    file.setFormatter(logging.Formatter(_LINE))
    root.addHandler(file)
    logging.raiseExceptions = False  # a full disk must not print tracebacks
