"""Samples of one load per second, and the reason why a second is excluded."""

import enum
from collections.abc import Sequence

from app.plots.sample_series import SampleSeries
from scheduler.model.documents import LoadSample

_NEAR_S = 0.5  # samples end one second apart


class SecondKind(enum.IntEnum):
    """Classification of a second."""

    COUNTED = 0
    SETTLING = 1
    STALLED = 2
    AGAIN = 3  # in a trial that was interrupted and repeated


class LoadSeconds(SampleSeries):
    """Series with the columns t_s, tps and kind (a `SecondKind`).

    The kind of a second is final when its trial has ended.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("t_s", "tps", "kind")

    def take(self, sample: LoadSample) -> None:
        """Append one sample."""
        self.append(sample.t_s, sample.throughput_tps, SecondKind.SETTLING if sample.settling else SecondKind.COUNTED)

    def mark_stalls(self, ends_s: Sequence[float]) -> None:
        """Mark seconds as stalled; ignore times without a sample.

        Args:
            ends_s: End of each stalled second, seconds since the run began.
        """
        for end_s in ends_s:
            row = self.since(end_s - _NEAR_S)
            if row < self.since(end_s + _NEAR_S):
                self.put("kind", row, SecondKind.STALLED)

    def mark_again(self, from_s: float, until_s: float) -> None:
        """Mark the seconds of a trial that was interrupted and repeated.

        Args:
            from_s: Begin of the measurement, seconds since the run began.
            until_s: End of the measurement, seconds since the run began.
        """
        for row in range(self.since(from_s + _NEAR_S), self.since(until_s + _NEAR_S)):
            self.put("kind", row, SecondKind.AGAIN)
