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

from scheduler.files import make_private_folder, open_regular
from scheduler.model.urls import redact_url

log = logging.getLogger(__name__)

MOST_BYTES = 20_000
_URL = re.compile(r"[\w+.-]+:(//)?[^\s'\"]*@[^\s'\"]*|[\w+.-]+://[^\s'\"]+")
_SECRET = re.compile(r"(?i)(passw(?:or)?d|secret|token)(['\"]?\s*[=:]\s*)(\S+)")


class WindowFault(NamedTuple):
    """What happened, in a line; where, for a report. Neither holds a password."""

    what: str
    where: str


class FaultMonitor(QObject):
    """Signals: `met` with a `Fault`, in the window's thread, for each exception that nothing caught in any thread."""

    met = Signal(object)

    def watch(self) -> None:
        """Take what Python does with such exceptions: they are logged, and told."""
        sys.excepthook = self._handle_exception
        threading.excepthook = lambda given: self._handle_exception(
            given.exc_type, given.exc_value, given.exc_traceback
        )

    def _handle_exception(
        self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or issubclass(kind, KeyboardInterrupt | SystemExit):
            return
        log.critical("a bug", exc_info=(kind, error, trace))
        self.met.emit(describe_fault(error))


def describe_fault(error: BaseException) -> WindowFault:
    """Return what is told of an exception: URLs without what may be a password, nothing of the values in its frames."""
    what = redact_secrets("".join(traceback.format_exception_only(error)).strip())
    frames = traceback.format_list(traceback.extract_tb(error.__traceback__))
    return WindowFault(what.partition("\n")[0], f"{''.join(frames)}{what}\n")


def redact_secrets(text: str) -> str:
    """Return a text whose URLs hold no password, and in which nothing that is called one is given."""
    return _SECRET.sub(r"\1\2...", _URL.sub(lambda found: redact_url(found[0]), text))


def read_previous_crash(path: Path) -> WindowFault | None:
    """Return the crash that a window before this one left in the file, if one did, and watch for the next one.

    Raises:
        OSError: The file cannot be read or written, or is no regular one.
    """
    make_private_folder(path.parent)
    fd = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    left = os.pread(fd, MOST_BYTES, 0).decode(errors="replace")
    os.ftruncate(fd, 0)
    faulthandler.enable(fd)  # it keeps the number; the file stays open as long as this program runs
    return WindowFault(left.partition("\n")[0], left) if left.strip() else None
