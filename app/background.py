"""Background worker for files, outside the window's thread.

One thread reads results, exports and replays. Its results arrive by a signal.
"""

import concurrent.futures
import logging
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

log = logging.getLogger(__name__)


class BackgroundJob:
    """Unit of background work; long work checks `cancelled` and returns early."""

    def __init__(self, done: Callable[[Any], None], failed: Callable[[Exception], None]) -> None:
        self._done = done
        self._failed = failed
        self._cancelled = threading.Event()
        self.future: concurrent.futures.Future[Any] | None = None

    @property
    def cancelled(self) -> bool:
        """True when the result is not needed any more; safe in the worker's thread."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Discard the result; skip work that has not begun."""
        self._cancelled.set()
        if self.future is not None:
            self.future.cancel()

    def let_go(self) -> None:
        """Discard the result, but finish the work."""
        self._cancelled.set()

    def deliver(self, answer: object, error: Exception | None) -> None:
        """Pass the result or the error on, unless the job was cancelled.

        Runs in the window's thread.

        Args:
            answer: Result of the work.
            error: Exception of the work; None for success.
        """
        if self.cancelled:
            return
        if error is None:
            self._done(answer)
        else:
            self._failed(error)


class BackgroundWorker(QObject):
    """Single worker thread that runs jobs in order.

    Results and errors arrive in the window's thread.
    """

    _finished = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = concurrent.futures.ThreadPoolExecutor(max_workers=1, thread_name_prefix="files")
        self._jobs: set[BackgroundJob] = set()
        self._finished.connect(self._deliver_answer, Qt.ConnectionType.QueuedConnection)

    def submit(
        self, work: Callable[[BackgroundJob], Any], done: Callable[[Any], None], failed: Callable[[Exception], None]
    ) -> BackgroundJob:
        """Run work in the worker's thread, then report in the window's thread.

        Args:
            work: Work that uses no widget. It opens and closes its own files and SQLite connections.
            done: Called with the result of `work`.
            failed: Called with the exception of `work`, to show a message.
        """
        job = BackgroundJob(done, failed)
        self._jobs.add(job)
        job.future = self._pool.submit(self._run_job, job, work)
        return job

    def close(self) -> None:
        """Cancel all jobs; the worker ends after its current job."""
        for job in tuple(self._jobs):
            job.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _run_job(self, job: BackgroundJob, work: Callable[[BackgroundJob], Any]) -> None:
        try:
            answer, problem = work(job), None
        except Exception as error:  # noqa: BLE001 - the caller shows any error
            answer, problem = None, error
        if not job.cancelled:
            self._finished.emit(job, answer, problem)

    def _deliver_answer(self, job: BackgroundJob, answer: object, error: Exception | None) -> None:
        self._jobs.discard(job)
        if error is not None:
            log.info("background work failed", exc_info=error)
        job.deliver(answer, error)
