"""Imports the modules of pages that are not shown yet, while nobody waits for them."""

import importlib

from app.background import Job


def import_pages(job: Job) -> None:
    """Import what makes a page slow to open the first time; makes no Qt object, for this is another thread."""
    for name in (
        "pyqtgraph",
        "app.panels.result_page",
        "app.panels.live_page",
        "app.wizard.wizard",
        "scheduler.export.registry",
    ):
        if job.cancelled:
            return
        importlib.import_module(name)
