"""Commit counter with a time limit, so that a stuck database cannot stop `follow`.

The thread of this module only queries the counter. It decides nothing and sends no heartbeat.
"""

import queue
import threading

from scheduler.errors import LoadError
from scheduler.model.commit_counter import CommitCount
from scheduler.run.commit_counter import CountsCommits
from scheduler.translation import _

_LIMIT_S = 4.0  # the statement's own limit on the server is 2 s


class BoundedCounter:
    """Commit counter that answers within a time limit or raises LoadError.

    After a missed limit, the counter is queried again once its late answer has arrived.

    Args:
        committed: The counter; used by one thread only.
        limit_s: How long to wait for an answer, seconds, > 0.
    """

    def __init__(self, committed: CountsCommits, limit_s: float = _LIMIT_S) -> None:
        self._committed = committed
        self._limit_s = limit_s
        self._asked: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[CommitCount | Exception] = queue.SimpleQueue()
        self._is_late = False  # the answer to an earlier query is still outstanding
        threading.Thread(target=self._answer_requests, name=_("counting commits"), daemon=True).start()

    def look(self) -> CommitCount:
        """Return the commit count.

        Raises:
            LoadError: The count failed, or no answer arrived in time.
        """
        if self._is_late and not self._answers.empty():
            self._answers.get()  # the late answer is out of date
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
        raise LoadError(_("the database did not answer within {limit_s:g} s").format(limit_s=self._limit_s))

    def close(self) -> None:
        """End the thread as soon as it is idle; never raise."""
        self._asked.put("")

    def _answer_requests(self) -> None:
        while self._asked.get():
            try:
                self._answers.put(self._committed.look())
            except Exception as error:  # noqa: BLE001 - raised again in `look`
                self._answers.put(error)
