"""A database that hangs may not hold up who follows a host: its counter is asked beside the loop, with a limit.

Only the asking is done in this thread: nothing is decided here, and no heartbeat comes from it.
"""

import queue
import threading

from scheduler.errors import LoadError
from scheduler.model.commit_counter import CommitCount
from scheduler.run.commit_counter import CountsCommits

_LIMIT_S = 4.0  # its statement has 2 s on the server


class BoundedCounter:
    """A counter that answers in time, or raises; it is asked again once its late answer has come.

    Args:
        committed: The counter; asked by one thread only.
        limit_s: How long an answer is waited for.
    """

    def __init__(self, committed: CountsCommits, limit_s: float = _LIMIT_S) -> None:
        self._committed = committed
        self._limit_s = limit_s
        self._asked: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[CommitCount | Exception] = queue.SimpleQueue()
        self._is_late = False  # an answer to an earlier question is still to come
        threading.Thread(target=self._answer_requests, name="counting commits", daemon=True).start()

    def look(self) -> CommitCount:
        """Return the count; raises LoadError, also where none came in time."""
        if self._is_late and not self._answers.empty():
            self._answers.get()  # it tells of an earlier moment
            self._is_late = False
        if not self._is_late:
            self._asked.put("look")
            try:
                answer = self._answers.get(timeout=self._limit_s)
            except queue.Empty:
                self._is_late = True
            else:
                if isinstance(answer, Exception):
                    raise answer
                return answer
        raise LoadError(f"the database did not answer within {self._limit_s:g} s")

    def close(self) -> None:
        """End the thread when it is free; never raises."""
        self._asked.put("")

    def _answer_requests(self) -> None:
        while self._asked.get():
            try:
                self._answers.put(self._committed.look())
            except Exception as error:  # noqa: BLE001 - raised again where it was asked for
                self._answers.put(error)
