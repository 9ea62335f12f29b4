"""Imports the modules of pages that are not shown yet, while nobody waits for them."""

import importlib

from PySide6.QtCore import QObject, QTimer

from app.background import Background, Job

_SOON_MS = 300  # after the window can be used


def soon(background: Background, parent: QObject) -> QTimer:
    """Return a timer that, once started, has the pages imported behind the window shortly after."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(_SOON_MS)
    timer.timeout.connect(lambda: background.submit(_import_pages, lambda _: None, lambda _: None))
    return timer


def _import_pages(job: Job) -> None:
    """Import what makes a page slow to open the first time; makes no Qt object, for this is another thread."""
    for name in (
        "pyqtgraph",
        "app.panels.result_page",
        "app.panels.live_page",
        "app.wizard.wizard",
        "app.watch.watch_page",
        "app.follow.follow_page",
        "scheduler.export.registry",
        "scheduler.export.watched",
    ):
        if job.cancelled:
            return
        importlib.import_module(name)
