"""Heartbeat thread, which reports to the guard every quarter of its time limit."""

import logging
import threading
import time
from collections.abc import Callable

from scheduler.errors import HostError
from scheduler.hosts.remote.guard_commands import GuardCommands, guard_message
from scheduler.translation import _

log = logging.getLogger(__name__)

SLOW_FRAC = 0.45
"""Silence at which a host counts as too slow, as a fraction of the time limit.

The silence begins with the last accepted heartbeat. Heartbeats are sent every quarter of the limit, so an answer may
take a fifth of the limit. More than half of the limit is left to set the originals.
"""

# A guard that does not read heartbeats cannot fire either. A starved host has until here: its split is left earlier.
_GONE_FRAC = 0.75
# The guard reads every second, under long limits every 5 s. A longer silence means stopped or starved, not slow.
_LEAST_SILENCE_S = 5.0


class Heartbeat:
    """Heartbeat that runs until stopped, or until the guard has fired or died.

    Args:
        words: Commands of the guard.
        token: Token of the sweep.
        ttl_s: Time limit of the guard, seconds.
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
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the heartbeat; return at once, may be called twice.

        A heartbeat in progress may still arrive.
        """
        self._stop.set()

    @property
    def silent_s(self) -> float:
        """Seconds since the last heartbeat that found the guard alive and up to date."""
        return time.monotonic() - self._looked_s

    def check_guard(self) -> None:
        """Send a heartbeat now; call `on_lost` when the guard is gone. Raise HostError."""
        reason = self._send_heartbeat()
        if reason and not self._stop.is_set():
            self._on_lost(reason)

    def _run_heartbeats(self) -> None:
        reached = True
        while not self._stop.wait(self.ttl_s / (4 if reached else 8)):
            try:
                reason = self._send_heartbeat()
                reached = True
            except (HostError, OSError) as error:  # includes errors of this computer, such as a full disk
                # The guard fires by itself when the connection stays down; the write lock then reports that.
                log.warning("no heartbeat reached the guard: %s", error)
                reached = False
                continue
            if reason and not self._stop.is_set():
                self._on_lost(reason)
                return

    def _send_heartbeat(self) -> str:
        """Send a heartbeat; return the reason why the guard is gone, else empty.

        Raises:
            HostError: The heartbeat did not arrive.
        """
        asked_s = time.monotonic()
        answer = self._words.say("beat", self._token, timeout_s=max(self.ttl_s / 2, 5.0))
        if answer.code:
            return guard_message(answer)
        if "late" not in answer.out:
            self._looked_s = asked_s
        silent_s = asked_s - self._looked_s
        if silent_s > max(_GONE_FRAC * self.ttl_s, _LEAST_SILENCE_S):
            return _("the guard on the host has not looked for a heartbeat for {silent_s:.0f} s").format(
                silent_s=silent_s
            )
        return ""
