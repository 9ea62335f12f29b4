"""Faults of the window itself: an exception that nothing caught, and what a crash left for the next start.

Python's `faulthandler` writes where a crash happened into a file; the next start reads it, once.
"""

import faulthandler
import logging
import os
import re
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from scheduler.files import open_regular, private_folder
from scheduler.model.urls import shown

log = logging.getLogger(__name__)

MOST_BYTES = 20_000
_URL = re.compile(r"[\w+.-]+:(//)?[^\s'\"]*@[^\s'\"]*|[\w+.-]+://[^\s'\"]+")
_SECRET = re.compile(r"(?i)(passw(?:or)?d|secret|token)(['\"]?\s*[=:]\s*)(\S+)")


class Fault(NamedTuple):
    """What happened, in a line; where, for a report. Neither holds a password."""

    what: str
    where: str


class Faults(QObject):
    """Signals: `met` with a `Fault`, in the window's thread, for each exception that nothing caught in any thread."""

    met = Signal(object)

    def watch(self) -> None:
        """Take what Python does with such exceptions: they are logged, and told."""
        sys.excepthook = self._take
        threading.excepthook = lambda given: self._take(given.exc_type, given.exc_value, given.exc_traceback)

    def _take(self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None or issubclass(kind, KeyboardInterrupt | SystemExit):
            return
        log.critical("a bug", exc_info=(kind, error, trace))
        self.met.emit(fault_of(error))


def fault_of(error: BaseException) -> Fault:
    """Return what is told of an exception: URLs without what may be a password, nothing of the values in its frames."""
    what = without_secrets("".join(traceback.format_exception_only(error)).strip())
    frames = traceback.format_list(traceback.extract_tb(error.__traceback__))
    return Fault(what.partition("\n")[0], f"{''.join(frames)}{what}\n")


def without_secrets(text: str) -> str:
    """Return a text whose URLs hold no password, and in which nothing that is called one is given."""
    return _SECRET.sub(r"\1\2...", _URL.sub(lambda found: shown(found[0]), text))


def of_the_last_time(path: Path) -> Fault | None:
    """Return the crash that a window before this one left in the file, if one did, and watch for the next one.

    Raises:
        OSError: The file cannot be read or written, or is no regular one.
    """
    private_folder(path.parent)
    fd = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    left = os.pread(fd, MOST_BYTES, 0).decode(errors="replace")
    os.ftruncate(fd, 0)
    faulthandler.enable(fd)  # it keeps the number; the file stays open as long as this program runs
    return Fault(left.partition("\n")[0], left) if left.strip() else None
