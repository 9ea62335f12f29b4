"""Comparison of each move's predicted gain with the rate afterwards, as a hint.

A gain is a ratio minus 1. The audit decides nothing and costs nothing, as the windows are there anyway. A load that
changed affects the comparison, and such a change is why the rule moved the split. The rate of windows of ten seconds is
counted late. The gain of following is measured by whole comparison periods (`ab_test.py`), never by this audit. The
audit uses as many windows as the rule, and drops the first one.
"""

import math
from collections.abc import Sequence

import msgspec

from scheduler.follow.counter_windows import LEAST_KEPT, MOST_KEPT

_LEAST_MOVES = 3  # for a slope


class AuditedMove(msgspec.Struct, frozen=True):
    """Move with its predicted gain and the change of the rate.

    Attributes:
        moved_s: Time of the move on the run's clock, seconds.
        predicted_gain: Predicted gain, ratio - 1.
        seen: Observed gain, ratio - 1: mean rate of the windows after the move over the mean rate before.
    """

    moved_s: float
    predicted_gain: float
    seen: float


class GainAudit:
    """Audit of moves, fed with every window and every change of the split in order.

    Attributes:
        moves: Every move that could be audited.
    """

    def __init__(self) -> None:
        self.moves: list[AuditedMove] = []
        self._rates: list[float] = []  # at the present split
        self._skips = False
        self._open: tuple[float, float, float] | None = None  # time of the move, predicted gain, rate before

    @property
    def slope(self) -> float | None:
        """Observed gain per predicted gain, in ln(rate); None with fewer than three moves.

        The slope is fitted by least squares through 0.
        """
        if len(self.moves) < _LEAST_MOVES:
            return None
        promised = [math.log1p(move.predicted_gain) for move in self.moves]
        seen = [math.log1p(move.seen) for move in self.moves]
        squares = math.fsum(each * each for each in promised)
        return math.fsum(one * other for one, other in zip(promised, seen, strict=True)) / squares if squares else None

    def window(self, rate_tps: float | None) -> AuditedMove | None:
        """Add a window's rate, None when unknown; return the move that it completes."""
        if self._skips:
            self._skips = False
        elif rate_tps is not None:
            self._rates.append(rate_tps)
            if self._open is not None and len(self._rates) == MOST_KEPT:
                return self._close_move()
            del self._rates[:-MOST_KEPT]
        return None

    def changed(self, at_s: float, predicted_gain: float | None) -> AuditedMove | None:
        """Record a change of the split; return the move that it cuts short, if audited.

        Args:
            at_s: Time of the change on the run's clock, seconds.
            predicted_gain: Predicted gain, ratio - 1; None for a comparison period of another variant, or without a
                prediction.
        """
        cut_short = self._close_move()
        before = self._mean_rate()
        self._open = (at_s, predicted_gain, before) if predicted_gain is not None and before else None
        self._rates, self._skips = [], True
        return cut_short

    def _close_move(self) -> AuditedMove | None:
        opened, after = self._open, self._mean_rate()
        self._open = None
        if opened is None or not after:
            return None
        moved_s, predicted_gain, before = opened
        self.moves.append(AuditedMove(moved_s, predicted_gain, after / before - 1))
        return self.moves[-1]

    def _mean_rate(self) -> float | None:
        """Return the mean rate at this split; None with too few windows."""
        return _mean_of_rates(self._rates) if len(self._rates) >= LEAST_KEPT else None


def _mean_of_rates(rates: Sequence[float]) -> float:
    return math.fsum(rates) / len(rates)
