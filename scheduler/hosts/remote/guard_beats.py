"""The heartbeat: a thread that tells the guard every quarter of its time limit that the sweep lives."""

import logging
import threading
import time
from collections.abc import Callable

from scheduler.errors import HostError
from scheduler.hosts.remote.guard_words import Words, text_of

log = logging.getLogger(__name__)

# The guard looks every second, under long limits every 5 s; one that does not is stopped or starved, not merely slow.
_LEAST_SILENCE_S = 5.0


class Heartbeat:
    """Beats until stopped, or until the guard has fired or died.

    Args:
        words: The guard.
        token: The sweep's.
        ttl_s: The guard's time limit.
        on_lost: Called once, from the thread, with the reason.
    """

    def __init__(self, words: Words, token: str, ttl_s: float, on_lost: Callable[[str], None]) -> None:
        self._words = words
        self._token = token
        self._ttl_s = ttl_s
        self._on_lost = on_lost
        self._stop = threading.Event()
        self._looked_s = time.monotonic()
        self._thread = threading.Thread(target=self._beat_on, name="guard heartbeat", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no more; returns at once, a beat under way may still arrive. May be called twice."""
        self._stop.set()

    def _beat_on(self) -> None:
        reached = True
        while not self._stop.wait(self._ttl_s / (4 if reached else 8)):
            try:
                reason = self._beat()
                reached = True
            except (HostError, OSError) as error:  # also this computer's own trouble, such as a full disk
                # The guard counts for itself; it fires when the way stays cut, and the fence says so afterwards.
                log.warning("no heartbeat reached the guard: %s", error)
                reached = False
                continue
            if reason and not self._stop.is_set():
                self._on_lost(reason)
                return

    def _beat(self) -> str:
        """Send one; return why there is no guard any more, or nothing. Raises HostError when it did not arrive."""
        asked_s = time.monotonic()
        answer = self._words.say("beat", self._token, timeout_s=max(self._ttl_s / 2, 5.0))
        if answer.code:
            return text_of(answer)
        if "late" not in answer.out:
            self._looked_s = asked_s
        silent_s = asked_s - self._looked_s
        if silent_s > max(self._ttl_s / 2, _LEAST_SILENCE_S):
            return f"the guard on the host has not looked for a heartbeat for {silent_s:.0f} s"
        return ""
