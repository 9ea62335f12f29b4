"""Runs that left their last word, or their host, to others: which there are, and how the word is added."""

import msgspec

from scheduler.model.documents import Document, RunStarted, RunStopped, TrialDone, TrialStarted
from scheduler.model.interrupted_run import build_run_stopped
from scheduler.store.run_store import RunStore

# In the last word of a run whose undo record was kept aside: nobody knows how its host reads, or ever will.
QUARANTINED_REASON = "its undo record was kept aside, and nothing was put back"


def add_run_outcome(store: RunStore, run_id: str, *, restored: bool, put_back_unix_s: float) -> bool:
    """Say what became of a run's host, and make its results anew; return False where there is nothing to add.

    A run that said itself that it left its host changed is told of again only when the host was put back.

    Raises:
        StoreError: It could not be read or written.
    """
    documents = list(store.documents(run_id))
    said = _find_run_stopped(documents)
    if said is None:
        word = _build_outcome(documents, restored=restored, put_back_unix_s=put_back_unix_s)
    elif said.busy or said.restored or QUARANTINED_REASON in said.reason or not put_back_unix_s:
        return False
    else:
        word = msgspec.structs.replace(said, restored=True, put_back_unix_s=put_back_unix_s)
    if not restored:
        word = msgspec.structs.replace(word, reason=f"{word.reason}; {QUARANTINED_REASON}")
    # What puts hosts back calls this, mostly for nothing: numpy and the statistics are not loaded for that.
    from scheduler.stats.results import summarise_run

    store.append(run_id, word)
    store.keep_results(run_id, summarise_run([*documents, word]))
    return True


def _find_run_stopped(documents: list[Document]) -> RunStopped | None:
    return next((document for document in reversed(documents) if isinstance(document, RunStopped)), None)


def _build_outcome(documents: list[Document], *, restored: bool, put_back_unix_s: float) -> RunStopped:
    started = next(document for document in documents if isinstance(document, RunStarted))
    begun = (document.trial + 1 for document in documents if isinstance(document, TrialStarted | TrialDone))
    trial, t_s = max(begun, default=0), documents[-1].t_s
    return build_run_stopped(started, t_s, trial, restored=restored, put_back_unix_s=put_back_unix_s)
