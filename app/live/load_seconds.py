"""The seconds of one load, and which of them count."""

import enum
from collections.abc import Sequence

from app.live.sample_series import SampleSeries
from scheduler.model.documents import LoadSample

_NEAR_S = 0.5  # samples end a second apart


class SecondKind(enum.IntEnum):
    """What became of a second."""

    COUNTED = 0
    SETTLING = 1
    STALLED = 2
    AGAIN = 3  # of a trial that was interrupted, and measured again


class LoadSeconds(SampleSeries):
    """Columns t_s, tps, kind (of `Kind`). Whether a second counts is known for certain when its trial has ended."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("t_s", "tps", "kind")

    def take(self, sample: LoadSample) -> None:
        """Add one second."""
        self.append(sample.t_s, sample.throughput_tps, SecondKind.SETTLING if sample.settling else SecondKind.COUNTED)

    def mark_stalls(self, ends_s: Sequence[float]) -> None:
        """Take the seconds that ended then out of what counts; one whose sample never came is passed over."""
        for end_s in ends_s:
            row = self.since(end_s - _NEAR_S)
            if row < self.since(end_s + _NEAR_S):
                self.put("kind", row, SecondKind.STALLED)

    def mark_again(self, from_s: float, until_s: float) -> None:
        """Take the seconds of a trial that was measured again out of what counts."""
        for row in range(self.since(from_s + _NEAR_S), self.since(until_s + _NEAR_S)):
            self.put("kind", row, SecondKind.AGAIN)
