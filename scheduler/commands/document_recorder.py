"""Everything that comes out of a sweep goes through here: kept first, then shown."""

import logging
from collections.abc import Callable, Sequence

from scheduler.errors import StoreError
from scheduler.model.documents import Document, HostCommand, HostSample, LoadSample
from scheduler.store.run_store import RunStore

log = logging.getLogger(__name__)

Listener = Callable[[Document], None]


class DocumentRecorder:
    """Takes every document: keeps it, then shows it to the listeners.

    Args:
        store: Where runs are kept.
        run_id: The run.
        listeners: Called with every document.
        began_s: When the run's time began, on the control's clock.
    """

    def __init__(self, store: RunStore, run_id: str, listeners: Sequence[Listener], began_s: float) -> None:
        self.began_s = began_s
        self._store = store
        self._run_id = run_id
        self._listeners = listeners
        self.documents: list[Document] = []

    def emit(self, document: Document) -> None:
        """Keep one document; raises StoreError, but shows it all the same."""
        if not isinstance(document, LoadSample | HostSample):  # the store has these; a long run has too many
            self.documents.append(document)
        try:
            self._store.append(self._run_id, document)
        finally:
            for listener in self._listeners:
                listener(document)


class CommandRecorder:
    """What the host is told, as documents; lines that come before the run has begun are kept until then."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._early: list[Document] = []
        self._emit: Listener = self._early.append

    def note(self, command: str, answer: str) -> None:
        """Take one line; a full disk is no reason to stop restoring, so it is only logged."""
        try:
            self._emit(HostCommand(t_s=self._now_s(), command=command, answer=answer))
        except StoreError as error:
            log.warning("the ledger could not be kept: %s", error)

    def open(self, emit: Listener) -> None:
        """Pass on what came so far, and everything from now on."""
        self._emit = emit
        for line in self._early:
            emit(line)
