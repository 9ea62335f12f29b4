"""Recorder of a sweep's documents: each is stored first, then shown."""

import logging
from collections.abc import Callable, Sequence

from scheduler.errors import StoreError
from scheduler.model.documents import Document, HostCommand, HostSample, LoadSample
from scheduler.store.run_store import RunStore

log = logging.getLogger(__name__)

Listener = Callable[[Document], None]


class DocumentRecorder:
    """Recorder that stores every document, then passes it to the listeners.

    Args:
        store: The store of runs.
        run_id: Id of the run.
        listeners: Called with every document.
        began_s: Start of the run, seconds on the control's clock.
    """

    def __init__(self, store: RunStore, run_id: str, listeners: Sequence[Listener], began_s: float) -> None:
        self.began_s = began_s
        self._store = store
        self._run_id = run_id
        self._listeners = listeners
        self.documents: list[Document] = []

    def emit(self, document: Document) -> None:
        """Store one document and pass it on.

        Raises:
            StoreError: The document could not be stored; the listeners have it nevertheless.
        """
        if not isinstance(
            document, LoadSample | HostSample
        ):  # samples are in the store; a long run has too many of them
            self.documents.append(document)
        try:
            self._store.append(self._run_id, document)
        finally:
            for listener in self._listeners:
                listener(document)


class CommandRecorder:
    """Recorder of the commands to the host, with a buffer until the run begins.

    Args:
        now_s: Returns the seconds since the run began.
    """

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._early: list[Document] = []
        self._emit: Listener = self._early.append

    def note(self, command: str, answer: str) -> None:
        """Record one command; only log a full disk, which must not stop a restore.

        Args:
            command: The command.
            answer: Answer of the host.
        """
        try:
            self._emit(HostCommand(t_s=self._now_s(), command=command, answer=answer))
        except StoreError as error:
            log.warning("the command log could not be kept: %s", error)

    def open(self, emit: Listener) -> None:
        """Pass on the buffered commands, and every later one."""
        self._emit = emit
        for line in self._early:
            emit(line)
