"""Imports the modules of pages that are not shown yet, while nobody waits for them.

What defines classes of Qt is imported in the window's own thread, a module per tick. In another thread it crashed the
window now and then: a class of Qt's that is defined in Python changes what PySide looks at, without Python's lock, when
any other object is asked for its class (SignalManager::retrieveMetaObject, PySide 6.11).
"""

import importlib
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from app.background import BackgroundJob, BackgroundWorker
from app.widgets.in_turn import Making

_SOON_MS = 300  # after the window can be used
_PIECE_S = 0.004
_APART = ("numpy", "scheduler.export.exporters", "scheduler.export.watched_split")  # no class of Qt's in them
_QT = ("PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets", "PySide6.QtSvg", "PySide6.QtTest")
_PAGES = (
    "app.panels.result_page",
    "app.panels.live_page",
    "app.wizard.wizard",
    "app.watch.watch_page",
    "app.follow.follow_page",
)
_ROOT = Path(__file__).parents[2]
_OURS = re.compile(r"^(?:from|import) ((?:app|scheduler)\.[\w.]+)", re.MULTILINE)


def soon(background: BackgroundWorker, parent: QObject) -> QTimer:
    """Return a timer that, once started, has the pages imported behind the window shortly after."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(_SOON_MS)

    def here(ours: Sequence[str]) -> None:
        Making(_pieces(ours), parent, now=False)

    timer.timeout.connect(lambda: background.submit(_import_apart, here, lambda _: None))
    return timer


def imported() -> bool:
    """Return whether all of it is there."""
    return all(name in sys.modules for name in _PAGES)


def _import_apart(job: BackgroundJob) -> list[str]:
    """Import what has nothing of Qt, as this is another thread; return what is left of ours, in its order."""
    for name in _APART:
        if not job.cancelled:
            importlib.import_module(name)
    return in_order(_PAGES)


def _pieces(ours: Sequence[str]) -> Iterator[None]:
    """Import what makes a page slow to open the first time, a few milliseconds of it at each `next`."""
    until_s = time.perf_counter() + _PIECE_S
    for _ in _steps(ours):
        if time.perf_counter() > until_s:
            yield
            until_s = time.perf_counter() + _PIECE_S


def _steps(ours: Sequence[str]) -> Iterator[None]:
    for name in _QT:
        module = importlib.import_module(name)
        for each in dir(module):  # PySide makes a class when it is first asked for; pyqtgraph asks for all
            getattr(module, each, None)
            yield
    importlib.import_module("pyqtgraph")  # one step of some 70 ms: its package imports all of its modules
    yield
    for name in ours:
        importlib.import_module(name)
        yield


def in_order(names: Sequence[str]) -> list[str]:
    """Return modules of ours and those of ours that they import, these first, as far as they are not there yet."""
    found: list[str] = []
    seen: set[str] = set()

    def visit(name: str) -> None:
        path = _ROOT.joinpath(*name.split(".")).with_suffix(".py")
        if name in seen or name in sys.modules or not path.is_file():
            return
        seen.add(name)
        for other in _OURS.findall(path.read_text("utf-8")):
            visit(other)
        found.append(name)

    for name in names:
        visit(name)
    return found
