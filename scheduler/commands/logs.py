"""Where log lines go: a file for the person at three in the morning, standard error for warnings."""

import logging
import sys

from scheduler import places
from scheduler.log_file import LogFile
from scheduler.model.terminal_text import replace_controls

_LINE = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
_FILE_BYTES = 1_000_000
_FILES = 3


class PlainFormatter(logging.Formatter):
    """A message is one line, and nothing in it is obeyed by a terminal: names and words of hosts stand in it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the line; a traceback follows as it is, cleaned as well, by `format`."""
        record.message = record.message.replace("\n", " | ")
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line with what follows it."""
        return replace_controls(super().format(record))


def log_to_file(*, verbose: bool) -> None:
    """Set logging up for a command; a log that cannot be written is no reason not to restore a host."""
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    screen = logging.StreamHandler(sys.stderr)
    screen.setLevel(logging.INFO if verbose else logging.WARNING)
    screen.setFormatter(PlainFormatter("%(levelname)s: %(message)s"))
    screen.addFilter(lambda record: verbose or not record.exc_info)  # a traceback is for the file; its word tells more
    root.addHandler(screen)
    path = places.log_path()
    try:
        file = LogFile(path, _FILE_BYTES, _FILES)
    except OSError as error:
        root.warning("no log is kept in %s: %s", path, error)
        return
    file.setFormatter(PlainFormatter(_LINE))
    root.addHandler(file)
    logging.raiseExceptions = False  # a full disk must not print tracebacks
