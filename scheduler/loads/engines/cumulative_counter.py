"""A total that is known at some moments, and what of it falls into whole seconds."""

import math
from collections import deque

_MOST_POINTS = 100_000


class CumulativeCounter:
    """Grows evenly between two moments at which it is known, and not at all before the first.

    Args:
        from_s: When it begins, on the monotonic clock.
    """

    def __init__(self, from_s: float) -> None:
        self._points = deque([(from_s, 0.0)], maxlen=_MOST_POINTS)

    @property
    def until_s(self) -> float:
        """The last moment at which it is known."""
        return self._points[-1][0]

    @property
    def total(self) -> float:
        """What it had grown to by then."""
        return self._points[-1][1]

    def grow(self, until_s: float, more: float) -> None:
        """Have it grow by `more` until a moment, which is no earlier than the last one."""
        self._points.append((max(until_s, self.until_s), self.total + more))

    def at(self, moment_s: float) -> float:
        """Return the total at a moment, by a straight line between its neighbours."""
        before_s, before = self._points[0]
        for after_s, after in self._points:
            if after_s > moment_s:
                part = (moment_s - before_s) / (after_s - before_s) if moment_s > before_s else 0.0
                return before + part * (after - before)
            before_s, before = after_s, after
        return before

    def whole(self, second: int) -> int:
        """Return what falls into a second as a whole number, so that all seconds together miss nothing."""
        return _round_half_up(self.at(second + 1)) - _round_half_up(self.at(second))

    def part(self, second: int) -> float:
        """Return what falls into a second."""
        return self.at(second + 1) - self.at(second)

    def forget(self, before_s: float) -> None:
        """Drop what no later moment needs."""
        while len(self._points) > 1 and self._points[1][0] <= before_s:
            self._points.popleft()


def _round_half_up(value: float) -> int:
    return math.floor(value + 0.5)
