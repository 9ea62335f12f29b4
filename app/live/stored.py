"""Stored runs, read off the window's thread."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

from app.background import Job
from scheduler import places
from scheduler.errors import StoreError
from scheduler.model.documents import Document, RunStopped
from scheduler.model.spec import RunSpec
from scheduler.store.runs import RunStore


def read_spec(run_id: str, more_min: float = 0.0) -> Callable[[Job], RunSpec]:
    """Return the work that reads a run's plan, lengthened by so many minutes.

    The work raises StoreError for a run that is not there, and SpecError for a plan that cannot be longer.
    """
    path = places.store_path()

    def work(_: Job) -> RunSpec:
        with RunStore(path, read_only=True) as store:
            spec = store.run(run_id).spec
        if not more_min:
            return spec
        from scheduler.plans.lengthening import lengthened

        return lengthened(spec, more_min)

    return work


def reader(run_id: str, *, samples: bool = True) -> Callable[[Job], list[Document]]:
    """Return the work that reads a run's documents in order; it raises StoreError for a run that is not there.

    Args:
        run_id: The run.
        samples: False leaves out the samples of each second.
    """
    path = places.store_path()

    def work(job: Job) -> list[Document]:
        documents: list[Document] = []
        with RunStore(path, read_only=True) as store:
            for document in store.documents(run_id, samples=samples):
                documents.append(document)
                if job.cancelled:
                    break
        if not documents:
            text = QCoreApplication.translate("stored", "There is no stored run {run_id}.").format(run_id=run_id)
            raise StoreError(text, hint=QCoreApplication.translate("stored", "Choose another one on Home."))
        return documents

    return work


def last_word_of(run_id: str) -> Callable[[Job], RunStopped]:
    """Return the work that reads how a run ended, as whoever put its host back has said; raises StoreError."""
    read = reader(run_id, samples=False)

    def work(job: Job) -> RunStopped:
        words = [document for document in read(job) if isinstance(document, RunStopped)]
        if not words:
            raise StoreError(QCoreApplication.translate("stored", "Nobody has said yet how this run ended."))
        return words[-1]

    return work
