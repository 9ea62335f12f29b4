"""Faults of the window: uncaught exceptions, and the crash of the previous window.

Python's `faulthandler` writes the place of a crash to a file, which the next start reads once.
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
from scheduler.translation import _

log = logging.getLogger(__name__)

MOST_BYTES = 20_000
_URL = re.compile(r"[\w+.-]+:(//)?[^\s'\"]*@[^\s'\"]*|[\w+.-]+://[^\s'\"]+")
_SECRET = re.compile(r"(?i)(passw(?:or)?d|secret|token)(['\"]?\s*[=:]\s*)(\S+)")


class WindowFault(NamedTuple):
    """Message of a fault in one line, and its traceback; neither holds a password."""

    what: str
    where: str


class FaultMonitor(QObject):
    """Monitor of uncaught exceptions in all threads.

    Signals:
        met: `WindowFault` of an uncaught exception, in the window's thread.
    """

    met = Signal(object)

    def watch(self) -> None:
        """Install the hooks for uncaught exceptions, which are logged and shown."""
        sys.excepthook = self._handle_exception
        threading.excepthook = lambda given: self._handle_exception(
            given.exc_type, given.exc_value, given.exc_traceback
        )

    def _handle_exception(
        self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or issubclass(kind, KeyboardInterrupt | SystemExit):
            return
        log.critical(_("a bug"), exc_info=(kind, error, trace))
        self.met.emit(describe_fault(error))


def describe_fault(error: BaseException) -> WindowFault:
    """Return the fault for an exception, without passwords.

    The traceback has no values of variables.
    """
    what = redact_secrets("".join(traceback.format_exception_only(error)).strip())
    frames = traceback.format_list(traceback.extract_tb(error.__traceback__))
    return WindowFault(what.partition("\n")[0], f"{''.join(frames)}{what}\n")


def redact_secrets(text: str) -> str:
    """Return a text without passwords in URLs and without values named as secrets."""
    return _SECRET.sub(r"\1\2...", _URL.sub(lambda found: redact_url(found[0]), text))


def read_previous_crash(path: Path) -> WindowFault | None:
    """Return the crash of the previous window, if any; start to record crashes.

    Args:
        path: File of the crash record.

    Raises:
        OSError: The file cannot be read or written, or is not a regular file.
    """
    make_private_folder(path.parent)
    fd = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    left = os.pread(fd, MOST_BYTES, 0).decode(errors="replace")
    os.ftruncate(fd, 0)
    faulthandler.enable(fd)  # keeps the descriptor, so the file stays open until the program ends
    return WindowFault(left.partition("\n")[0], left) if left.strip() else None
