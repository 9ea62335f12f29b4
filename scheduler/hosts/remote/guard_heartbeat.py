"""The heartbeat: a thread that tells the guard every quarter of its time limit that the sweep lives."""

import logging
import threading
import time
from collections.abc import Callable

from scheduler.errors import HostError
from scheduler.hosts.remote.guard_commands import GuardCommands, guard_message

log = logging.getLogger(__name__)

SLOW_FRAC = 0.45
"""Part of the time limit without a beat that was answered and taken, after which a host is too slow: beats come every
quarter, so an answer may take a fifth, and more than half of the limit is left to set the originals."""

# A guard that does not look cannot fire either. A starved one has until here: its split is left before.
_GONE_FRAC = 0.75
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

    def __init__(self, words: GuardCommands, token: str, ttl_s: float, on_lost: Callable[[str], None]) -> None:
        self._words = words
        self._token = token
        self.ttl_s = ttl_s
        self._on_lost = on_lost
        self._stop = threading.Event()
        self._looked_s = time.monotonic()
        self._thread = threading.Thread(target=self._run_heartbeats, name="guard heartbeat", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no more; returns at once, a beat under way may still arrive. May be called twice."""
        self._stop.set()

    @property
    def silent_s(self) -> float:
        """Seconds since the last beat was sent of which we know that the guard lived and took those before it."""
        return time.monotonic() - self._looked_s

    def check_guard(self) -> None:
        """Send a beat now; `on_lost` is called when there is no guard any more. Raises HostError."""
        reason = self._send_heartbeat()
        if reason and not self._stop.is_set():
            self._on_lost(reason)

    def _run_heartbeats(self) -> None:
        reached = True
        while not self._stop.wait(self.ttl_s / (4 if reached else 8)):
            try:
                reason = self._send_heartbeat()
                reached = True
            except (HostError, OSError) as error:  # also this computer's own trouble, such as a full disk
                # The guard counts for itself; it fires when the way stays cut, and the fence says so afterwards.
                log.warning("no heartbeat reached the guard: %s", error)
                reached = False
                continue
            if reason and not self._stop.is_set():
                self._on_lost(reason)
                return

    def _send_heartbeat(self) -> str:
        """Send one; return why there is no guard any more, or nothing. Raises HostError when it did not arrive."""
        asked_s = time.monotonic()
        answer = self._words.say("beat", self._token, timeout_s=max(self.ttl_s / 2, 5.0))
        if answer.code:
            return guard_message(answer)
        if "late" not in answer.out:
            self._looked_s = asked_s
        silent_s = asked_s - self._looked_s
        if silent_s > max(_GONE_FRAC * self.ttl_s, _LEAST_SILENCE_S):
            return f"the guard on the host has not looked for a heartbeat for {silent_s:.0f} s"
        return ""
