"""Outcomes of runs whose process died: find the runs and add their last document."""

import msgspec

from scheduler.model.documents import Document, RunStarted, RunStopped, TrialDone, TrialStarted
from scheduler.model.interrupted_run import build_run_stopped
from scheduler.model.observation_documents import ObservationStarted
from scheduler.store.observation_summary import summarise_observation
from scheduler.store.run_store import RunStore
from scheduler.translation import _

# In the last document of a run whose undo record was quarantined: it is not known how its host reads, or ever will.
QUARANTINED_REASON = _("its undo record was quarantined, and nothing was restored")


def add_run_outcome(store: RunStore, run_id: str, *, restored: bool, restored_unix_s: float) -> bool:
    """Add the outcome of a run's host; return False when there is nothing to add.

    The run's results are derived again. A run whose own last document reports a changed host gets a second one only
    when the host was restored.

    Args:
        store: The open store.
        run_id: The run.
        restored: True when the host was restored and verified.
        restored_unix_s: When the host was restored, seconds since 1970; 0 for unknown.

    Raises:
        StoreError: The run could not be read or written.
    """
    documents = list(store.documents(run_id))
    said = _find_run_stopped(documents)
    if said is None:
        word = _build_outcome(documents, restored=restored, restored_unix_s=restored_unix_s)
    elif said.busy or said.restored or QUARANTINED_REASON in said.reason or not restored_unix_s:
        return False
    else:
        word = msgspec.structs.replace(said, restored=True, restored_unix_s=restored_unix_s)
    if not restored:
        word = msgspec.structs.replace(word, reason=f"{word.reason}; {QUARANTINED_REASON}")
    if isinstance(documents[0], ObservationStarted):
        store.append(run_id, word, summarise_observation([*documents, word]))
        return True
    # What puts hosts back calls this, mostly for nothing: numpy and the statistics are not loaded for that.
    from scheduler.stats.results import summarise_run

    store.append(run_id, word)
    store.keep_results(run_id, summarise_run([*documents, word]))
    return True


def _find_run_stopped(documents: list[Document]) -> RunStopped | None:
    return next((document for document in reversed(documents) if isinstance(document, RunStopped)), None)


def _build_outcome(documents: list[Document], *, restored: bool, restored_unix_s: float) -> RunStopped:
    started = next(document for document in documents if isinstance(document, RunStarted | ObservationStarted))
    begun = (document.trial + 1 for document in documents if isinstance(document, TrialStarted | TrialDone))
    trial, t_s = max(begun, default=0), documents[-1].t_s
    return build_run_stopped(started, t_s, trial, restored=restored, restored_unix_s=restored_unix_s)
