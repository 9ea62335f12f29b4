"""Runs that left their last word, or their host, to others: which there are, and how the word is added."""

import msgspec

from scheduler.model.breaking import last_word
from scheduler.model.documents import Document, RunStarted, RunStopped, VisitDone, VisitStarted
from scheduler.store.runs import RunStore

# In the last word of a run whose undo record was kept aside: nobody knows how its host reads, or ever will.
KEPT_ASIDE = "its undo record was kept aside, and nothing was put back"


def add_last_word(store: RunStore, run_id: str, *, restored: bool, put_back_unix_s: float) -> bool:
    """Say what became of a run's host, and make its results anew; return False where there is nothing to add.

    A run that said itself that it left its host changed is told of again only when the host was put back.

    Raises:
        StoreError: It could not be read or written.
    """
    documents = list(store.documents(run_id))
    said = _said(documents)
    if said is None:
        word = _word_of(documents, restored=restored, put_back_unix_s=put_back_unix_s)
    elif said.busy or said.restored or KEPT_ASIDE in said.reason or not put_back_unix_s:
        return False
    else:
        word = msgspec.structs.replace(said, restored=True, put_back_unix_s=put_back_unix_s)
    if not restored:
        word = msgspec.structs.replace(word, reason=f"{word.reason}; {KEPT_ASIDE}")
    # What puts hosts back calls this, mostly for nothing: numpy and the statistics are not loaded for that.
    from scheduler.stats.results import results_from

    store.append(run_id, word)
    store.keep_results(run_id, results_from([*documents, word]))
    return True


def _said(documents: list[Document]) -> RunStopped | None:
    return next((document for document in reversed(documents) if isinstance(document, RunStopped)), None)


def _word_of(documents: list[Document], *, restored: bool, put_back_unix_s: float) -> RunStopped:
    started = next(document for document in documents if isinstance(document, RunStarted))
    begun = (document.visit + 1 for document in documents if isinstance(document, VisitStarted | VisitDone))
    visit, t_s = max(begun, default=0), documents[-1].t_s
    return last_word(started, t_s, visit, restored=restored, put_back_unix_s=put_back_unix_s)
