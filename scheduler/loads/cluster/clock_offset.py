"""Offset of another computer's monotonic clock from ours, with its error bound.

A ping asks for the other computer's time, which is read between our sending and our receiving. So half of the round
trip bounds the error, even if the delays of both directions differ. The ping with the shortest round trip is the
best.
"""

from collections.abc import Sequence
from typing import NamedTuple

# Two clocks drift apart: quartz by some 50 ppm, and time servers adjust them by at most 500 ppm (adjtimex(2)).
_DRIFT = 500e-6


class ClockPing(NamedTuple):
    """One reading of another computer's clock.

    Attributes:
        sent_s: Our time before the reading, seconds.
        told_s: The other computer's time, seconds.
        heard_s: Our time after the reading, seconds.
    """

    sent_s: float
    told_s: float
    heard_s: float


class ClockOffset(NamedTuple):
    """Offset of another computer's clock.

    Attributes:
        ahead_s: Seconds by which the other clock is ahead of ours.
        error_s: Bound of the error, seconds, >= 0.
        at_s: Our time of the measurement, seconds.
    """

    ahead_s: float
    error_s: float
    at_s: float

    def error_at(self, now_s: float) -> float:
        """Return the bound of the error at a later time, with the drift since then."""
        return self.error_s + _DRIFT * max(0.0, now_s - self.at_s)

    def followed_by(self, later: "ClockOffset") -> "ClockOffset | None":
        """Return the better of two offsets; None if they contradict each other.

        A contradiction means that one of the clocks jumped.
        """
        grown_s = self.error_at(later.at_s)
        if abs(later.ahead_s - self.ahead_s) > grown_s + later.error_s:
            return None
        return later if later.error_s <= grown_s else self


def best_offset(pings: Sequence[ClockPing]) -> ClockOffset:
    """Return the offset from the best of at least one ping."""
    best = min(pings, key=lambda ping: ping.heard_s - ping.sent_s)
    middle_s = (best.sent_s + best.heard_s) / 2
    return ClockOffset(best.told_s - middle_s, (best.heard_s - best.sent_s) / 2, middle_s)
