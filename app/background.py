"""File work (reading results, exports, replay) off the window's thread: one worker, answers by a signal."""

import concurrent.futures
import logging
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

log = logging.getLogger(__name__)


class BackgroundJob:
    """One piece of work; long work asks `cancelled` now and then and returns early."""

    def __init__(self, done: Callable[[Any], None], failed: Callable[[Exception], None]) -> None:
        self._done = done
        self._failed = failed
        self._cancelled = threading.Event()
        self.future: concurrent.futures.Future[Any] | None = None

    @property
    def cancelled(self) -> bool:
        """True when nobody waits for the answer any more; may be asked from the worker."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Drop the answer; work that has not begun is not done at all."""
        self._cancelled.set()
        if self.future is not None:
            self.future.cancel()

    def let_go(self) -> None:
        """Drop the answer only; the work is done all the same."""
        self._cancelled.set()

    def deliver(self, answer: object, error: Exception | None) -> None:
        """Hand the answer or the error over, in the window's thread; nothing after `cancel`."""
        if self.cancelled:
            return
        if error is None:
            self._done(answer)
        else:
            self._failed(error)


class BackgroundWorker(QObject):
    """One worker thread; what is submitted runs in order. Answers and errors arrive in the window's thread."""

    _finished = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = concurrent.futures.ThreadPoolExecutor(max_workers=1, thread_name_prefix="files")
        self._jobs: set[BackgroundJob] = set()
        self._finished.connect(self._deliver_answer, Qt.ConnectionType.QueuedConnection)

    def submit(
        self, work: Callable[[BackgroundJob], Any], done: Callable[[Any], None], failed: Callable[[Exception], None]
    ) -> BackgroundJob:
        """Run `work(job)` in the worker, then `done(answer)` or `failed(error)` here.

        Args:
            work: Touches no widget; opens and closes what it needs (SQLite connections belong to a thread).
            done: Called with what `work` returned.
            failed: Called with what it raised, to be shown as a message.
        """
        job = BackgroundJob(done, failed)
        self._jobs.add(job)
        job.future = self._pool.submit(self._run_job, job, work)
        return job

    def close(self) -> None:
        """Cancel all; the worker ends after what it is doing."""
        for job in tuple(self._jobs):
            job.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _run_job(self, job: BackgroundJob, work: Callable[[BackgroundJob], Any]) -> None:
        try:
            answer, problem = work(job), None
        except Exception as error:  # noqa: BLE001 - whatever it is, the one who asked shows it
            answer, problem = None, error
        if not job.cancelled:
            self._finished.emit(job, answer, problem)

    def _deliver_answer(self, job: BackgroundJob, answer: object, error: Exception | None) -> None:
        self._jobs.discard(job)
        if error is not None:
            log.info("background work failed", exc_info=error)
        job.deliver(answer, error)
