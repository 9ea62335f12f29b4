"""What stood in the way of a sweep's visits, and whether that is too much to recommend anything."""

from collections.abc import Sequence

import msgspec

from scheduler.model.documents import VisitDone
from scheduler.model.words import percent, short
from scheduler.stats.stalls import lasting, lost_s

_NOTABLE = 0.05  # of the measured seconds: ordinary checkpoints take 1 to 2 %
_MOST_HIT = 0.25  # of the visits; after the shared study of such sweeps, chosen there and not simulated


class Troubles(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a sweep was disturbed.

    Attributes:
        visits: Number of visits, those measured again included.
        hit: How many of them had stalls, or were measured again.
        measured_s: Seconds measured.
        lost_s: Of these, seconds that do not count.
    """

    visits: int
    hit: int
    measured_s: float
    lost_s: float

    @property
    def sentence(self) -> str:
        """What was left out, where that is much; else empty."""
        if self.lost_s < _NOTABLE * self.measured_s or not self.lost_s:
            return ""
        return (
            f"Something stood in the way (a checkpoint, a vacuum, a neighbour) in {short(round(self.lost_s))} of "
            f"{short(round(self.measured_s))} s measured, {percent(self.lost_s / self.measured_s)}: they do not count."
        )

    @property
    def obstacle(self) -> str:
        """Why nothing can be recommended; else empty."""
        if self.hit <= _MOST_HIT * self.visits:
            return ""
        return f"stalls hit {self.hit} of {self.visits} visits, more than {percent(_MOST_HIT)}"


def troubles_of(visits: Sequence[VisitDone]) -> Troubles:
    """Return what stood in the way of these visits, baselines included."""
    again = len(visits) - len(lasting(visits))
    return Troubles(
        visits=len(visits),
        hit=again + sum(visit.stalled_frac > 0 for visit in lasting(visits)),
        measured_s=sum(visit.seconds for visit in visits),
        lost_s=lost_s(visits),
    )
