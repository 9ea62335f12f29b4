"""What another computer's monotonic clock is ahead of ours, and by how much that may be wrong.

A ping asks for its time: it read it at some moment between our asking and our hearing, so that half of the round trip
bounds the error, however unlike the two ways are. The ping with the shortest round trip says most.
"""

from collections.abc import Sequence
from typing import NamedTuple

# Two clocks part: quartz by some 50 ppm, and time servers bend them by at most 500 (adjtimex(2)).
_DRIFT = 500e-6


class ClockPing(NamedTuple):
    """One question for the time: ours before and after, and the answer, seconds."""

    sent_s: float
    told_s: float
    heard_s: float


class ClockOffset(NamedTuple):
    """What their clock is ahead of ours, by at most how much that is wrong, and when that was so, seconds."""

    ahead_s: float
    error_s: float
    at_s: float

    def error_at(self, now_s: float) -> float:
        """Return the error that it has grown to by now."""
        return self.error_s + _DRIFT * max(0.0, now_s - self.at_s)

    def followed_by(self, later: "ClockOffset") -> "ClockOffset | None":
        """Return which of the two to go on with; None where both cannot be true: their clock jumped, or ours."""
        grown_s = self.error_at(later.at_s)
        if abs(later.ahead_s - self.ahead_s) > grown_s + later.error_s:
            return None
        return later if later.error_s <= grown_s else self


def best_offset(pings: Sequence[ClockPing]) -> ClockOffset:
    """Return the offset by the best of some pings, at least one."""
    best = min(pings, key=lambda ping: ping.heard_s - ping.sent_s)
    middle_s = (best.sent_s + best.heard_s) / 2
    return ClockOffset(best.told_s - middle_s, (best.heard_s - best.sent_s) / 2, middle_s)
