"""Background reads of stored runs."""

from collections.abc import Callable

from app.background import BackgroundJob
from scheduler import places
from scheduler.errors import StoreError
from scheduler.model.documents import Document, RunStopped
from scheduler.model.spec import RunSpec
from scheduler.store.run_store import RunStore
from scheduler.translation import _


def read_spec(run_id: str, more_min: float = 0.0) -> Callable[[BackgroundJob], RunSpec]:
    """Return the background work that reads and optionally lengthens a run's plan.

    The work raises StoreError for an unknown run, and SpecError for a plan that cannot be longer.

    Args:
        run_id: Identifier of the run.
        more_min: Additional minutes, >= 0.
    """
    path = places.store_path()

    def work(_: BackgroundJob) -> RunSpec:
        with RunStore(path, read_only=True) as store:
            spec = store.run(run_id).spec
        if not more_min:
            return spec
        from scheduler.plans.plan_extension import lengthen_plan

        return lengthen_plan(spec, more_min)

    return work


def read_documents(run_id: str, *, samples: bool = True) -> Callable[[BackgroundJob], list[Document]]:
    """Return the background work that reads a run's documents in order.

    The work raises StoreError for an unknown run.

    Args:
        run_id: Identifier of the run.
        samples: Include the samples of each second.
    """
    path = places.store_path()

    def work(job: BackgroundJob) -> list[Document]:
        documents: list[Document] = []
        with RunStore(path, read_only=True) as store:
            for document in store.documents(run_id, samples=samples):
                documents.append(document)
                if job.cancelled:
                    break
        if not documents:
            text = _("No stored run has the ID {run_id}.").format(run_id=run_id)
            raise StoreError(text, hint=_("Choose another run on Home."))
        return documents

    return work


def read_run_stopped(run_id: str) -> Callable[[BackgroundJob], RunStopped]:
    """Return the background work that reads the end of a run.

    The last report counts, because a later restore adds one. The work raises StoreError for a run without an end.
    """
    read = read_documents(run_id, samples=False)

    def work(job: BackgroundJob) -> RunStopped:
        words = [document for document in read(job) if isinstance(document, RunStopped)]
        if not words:
            raise StoreError(_("The outcome of this run is not recorded yet."))
        return words[-1]

    return work
