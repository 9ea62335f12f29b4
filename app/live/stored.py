"""Stored runs, read off the window's thread."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

from app.background import Job
from scheduler import places
from scheduler.errors import StoreError
from scheduler.model.documents import Document
from scheduler.store.runs import RunStore


def reader(run_id: str) -> Callable[[Job], list[Document]]:
    """Return the work that reads a run's documents in order; it raises StoreError for a run that is not there."""
    path = places.store_path()

    def work(job: Job) -> list[Document]:
        documents: list[Document] = []
        with RunStore(path, read_only=True) as store:
            for document in store.documents(run_id):
                documents.append(document)
                if job.cancelled:
                    break
        if not documents:
            text = QCoreApplication.translate("stored", "There is no stored run {run_id}.").format(run_id=run_id)
            raise StoreError(text, hint=QCoreApplication.translate("stored", "Choose another one on Home."))
        return documents

    return work
