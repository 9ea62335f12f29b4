"""Results of runs: derived from documents, cached per version of the rules.

Window and command line read results here only, so that a run has one answer.
"""

import logging
import time
from pathlib import Path

from scheduler.errors import StoreError
from scheduler.model.results import Results
from scheduler.store.observation_summary import summarise_observation
from scheduler.store.run_entries import RunEntry
from scheduler.store.run_store import RunStore

log = logging.getLogger(__name__)

_RENEW_S = 1.0


def load_results(store: RunStore, run: RunEntry) -> Results:
    """Return a run's results with the user's labels; derive them if not cached.

    Args:
        store: The open store.
        run: The run. While it has not ended, its results are derived each time.

    Raises:
        StoreError: Its documents cannot be read.
    """
    results = store.cached_results(run.run_id) if run.outcome is not None else None
    if results is None:
        results = _derive_results(store, run)
        if run.outcome is not None:
            _cache_results(store, run.run_id, results)
    return run.add_labels(results)


def renew_results(path: Path, longest_s: float = _RENEW_S) -> None:
    """Derive the answers that older rules left out of date, newest runs first.

    Args:
        path: The file with all runs.
        longest_s: Seconds after which the remaining runs wait for the next call.
    """
    try:
        with RunStore(path, read_only=True) as store:
            lacking = store.runs_without_answer()
        if not lacking:
            return
        end_s = time.monotonic() + longest_s
        with RunStore(path) as store:
            for run_id in lacking:
                if time.monotonic() > end_s:
                    break
                _renew_run(store, run_id)
    except StoreError as error:
        log.warning("answers could not be derived again: %s", error)


def _renew_run(store: RunStore, run_id: str) -> None:
    try:
        entry = store.entry(run_id)
        if entry.plan.observes:
            store.keep_answer(run_id, summarise_observation(store.documents(run_id, samples=False)))
            return
        results = _derive_results(store, entry)
    except StoreError as error:
        log.warning("no answer in the list: %s", error)
        store.keep_results(run_id, None)
    else:
        store.keep_results(run_id, results)


def _derive_results(store: RunStore, run: RunEntry) -> Results:
    # A hundred milliseconds of numpy, for runs without cached results alone.
    from scheduler.stats.results import summarise_run

    # The samples of an ended run change no result; of one that has not ended, the last one shows until when it went.
    return summarise_run(store.documents(run.run_id, samples=run.outcome is None))


def _cache_results(store: RunStore, run_id: str, results: Results) -> None:
    try:
        if store.read_only:
            with RunStore(store.path) as writer:
                writer.keep_results(run_id, results)
        else:
            store.keep_results(run_id, results)
    except StoreError as error:  # a full or read-only disk: they are derived again next time
        log.warning("results were not cached: %s", error)
