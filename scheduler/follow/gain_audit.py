"""What each move promised beside what the rate did: a hint, which decides nothing. Gains are ratios minus 1.

It costs nothing: the windows are there. But a load that changed is in it, too, which is why the rule moved in the first
place, and windows of ten seconds are no measurement of a rate that is counted late. What following brings is told by
whole epochs (`ab_test.py`), never by this. Windows are those of the rule: as many as it keeps, the first one dropped.
"""

import math
from collections.abc import Sequence

import msgspec

from scheduler.follow.counter_windows import LEAST_KEPT, MOST_KEPT

_LEAST_MOVES = 3  # before a slope is told


class AuditedMove(msgspec.Struct, frozen=True):
    """One move, looked at afterwards.

    Attributes:
        moved_s: When it was made.
        promise: What was promised for it.
        seen: What the rate did: the mean of the windows after it over that of those before.
    """

    moved_s: float
    promise: float
    seen: float


class GainAudit:
    """Told of every window and of every change of the split, in their order.

    Attributes:
        moves: Every move that could be looked at.
    """

    def __init__(self) -> None:
        self.moves: list[AuditedMove] = []
        self._rates: list[float] = []  # at the split of now
        self._skips = False
        self._open: tuple[float, float, float] | None = None  # when it was made, its promise, the rate before

    @property
    def slope(self) -> float | None:
        """How much was seen of what was promised, of ln(rate), least squares through 0; None of fewer than three."""
        if len(self.moves) < _LEAST_MOVES:
            return None
        promised = [math.log1p(move.promise) for move in self.moves]
        seen = [math.log1p(move.seen) for move in self.moves]
        squares = math.fsum(each * each for each in promised)
        return math.fsum(one * other for one, other in zip(promised, seen, strict=True)) / squares if squares else None

    def window(self, rate_tps: float | None) -> AuditedMove | None:
        """Take a window's rate, None where it is not known; return the move that it completes, if it does."""
        if self._skips:
            self._skips = False
        elif rate_tps is not None:
            self._rates.append(rate_tps)
            if self._open is not None and len(self._rates) == MOST_KEPT:
                return self._close_move()
            del self._rates[:-MOST_KEPT]
        return None

    def changed(self, at_s: float, promise: float | None) -> AuditedMove | None:
        """Hear that another split is set; return the move that this cuts short, if enough was seen of it.

        Args:
            at_s: When.
            promise: What was promised for it; None for another arm's turn, and where nothing is promised.
        """
        cut_short = self._close_move()
        before = self._mean_rate()
        self._open = (at_s, promise, before) if promise is not None and before else None
        self._rates, self._skips = [], True
        return cut_short

    def _close_move(self) -> AuditedMove | None:
        opened, after = self._open, self._mean_rate()
        self._open = None
        if opened is None or not after:
            return None
        moved_s, promise, before = opened
        self.moves.append(AuditedMove(moved_s, promise, after / before - 1))
        return self.moves[-1]

    def _mean_rate(self) -> float | None:
        """Return the mean rate at this split; None of too few windows."""
        return _mean_of_rates(self._rates) if len(self._rates) >= LEAST_KEPT else None


def _mean_of_rates(rates: Sequence[float]) -> float:
    return math.fsum(rates) / len(rates)
