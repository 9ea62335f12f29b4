"""What following has brought: rates of whole epochs, compared within blocks; no rate ever decides on a split.

Gain = exp(mean d) - 1, d = ln(rate of following) - ln(rate of another arm) of one block; its interval is Student's over
blocks. Windows are no replicates: counters of databases come late, and what happens lasts for minutes. Looked at
`looks` times by plan, each look has 1 - 0.05 / looks (Bonferroni), so that looking does not make findings.
"""

import enum
import math
from collections.abc import Sequence

import msgspec

from scheduler.follow.epochs import SKIPPED_S, Arm, Epoch
from scheduler.stats.student import quantile

ERROR_FRAC = 0.05
ALIKE_FRAC = 0.02  # gains within this are none: the plan's indifference
_DAY_S = 86_400.0
_LEAST_BLOCKS = 3  # of two, Student's interval is wider than anything that could be said
_LEAST_COUNTED_FRAC = 0.5  # of an epoch after its start; else it is no measurement


class Verdict(enum.StrEnum):
    """What a planned look came to."""

    BETTER = "better"
    WORSE = "worse"
    ALIKE = "alike"  # the interval lies within what is indifferent
    OPEN = "open"


class Gain(msgspec.Struct, frozen=True):
    """Following over another arm.

    Attributes:
        over: The other arm.
        frac: Of throughput; 0.02 for 2 %.
        low: Lower end of the interval; None with too few blocks.
        high: Upper end; None likewise.
        blocks: How many it is made of.
        verdict: What that says.
    """

    over: Arm
    frac: float
    low: float | None
    high: float | None
    blocks: int
    verdict: Verdict


class EpochRate(msgspec.Struct, frozen=True):
    """What was counted in one epoch.

    Attributes:
        epoch: Which.
        rate_tps: Commits per second after its first minute; None where it was not counted, or too little of it.
    """

    epoch: Epoch
    rate_tps: float | None


def looks_in(for_s: float) -> int:
    """Return how often a run looks at its gain: once a day, and at its end."""
    return max(1, math.ceil(for_s / _DAY_S - 1e-9))


def look_of(elapsed_s: float, for_s: float) -> int:
    """Return how many looks are due by then."""
    return looks_in(for_s) if elapsed_s >= for_s else int(elapsed_s // _DAY_S)


class Accounts:
    """Rates by block and arm; fed window by window.

    Args:
        looks: How many are planned.
    """

    def __init__(self, looks: int) -> None:
        self._looks = looks
        self._blocks: dict[int, dict[Arm, float]] = {}
        self._epoch: Epoch | None = None
        self._commits, self._counted_s, self._passed_s = 0, 0.0, 0.0
        self.off = ""  # why no more is counted

    def take(self, epoch: Epoch, ended_s: float, took_s: float, commits: int | None) -> EpochRate | None:
        """Take a window; return the epoch that it ended, if it did.

        Args:
            epoch: The one in which it lay.
            ended_s: When it ended, on the run's clock.
            took_s: How long it was.
            commits: What the database committed in it; None where that is not known.
        """
        ended = self._turn_to(epoch)
        if ended_s - took_s >= epoch.begins_s + SKIPPED_S - took_s / 2:
            self._passed_s += took_s
            if commits is not None and not self.off:
                self._commits += commits
                self._counted_s += took_s
        return ended

    def close(self) -> EpochRate | None:
        """Return the epoch that was under way; to be called once it is over."""
        return self._turn_to(None)

    def turn_off(self, why: str) -> None:
        """Count no more: what was counted until now stays."""
        self.off = self.off or why

    def gain(self, over: Arm) -> Gain | None:
        """Return what following has brought over another arm so far; None before the first whole block."""
        pairs = [block for block in self._blocks.values() if Arm.FOLLOWING in block and over in block]
        return gain_of([math.log(block[Arm.FOLLOWING] / block[over]) for block in pairs], over, self._looks)

    def _turn_to(self, epoch: Epoch | None) -> EpochRate | None:
        before = self._epoch
        if before == epoch:
            return None
        self._epoch = epoch
        commits, counted_s, passed_s = self._commits, self._counted_s, self._passed_s
        self._commits, self._counted_s, self._passed_s = 0, 0.0, 0.0
        if before is None or before.block is None:
            return None
        least_s = _LEAST_COUNTED_FRAC * (before.ends_s - before.begins_s - SKIPPED_S)
        rate = commits / counted_s if counted_s >= least_s and passed_s >= least_s else None
        if rate:
            self._blocks.setdefault(before.block, {})[before.arm] = rate
        return EpochRate(before, rate)


def gain_of(differences: Sequence[float], over: Arm, looks: int) -> Gain | None:
    """Return the gain of differences of ln(rate), one per block; None of none."""
    count = len(differences)
    if not count:
        return None
    mean = math.fsum(differences) / count
    if count < _LEAST_BLOCKS:
        return Gain(over, math.expm1(mean), None, None, count, Verdict.OPEN)
    variance = math.fsum((each - mean) ** 2 for each in differences) / (count - 1)
    half = quantile(count - 1, 1 - ERROR_FRAC / looks / 2) * math.sqrt(variance / count)
    low, high = math.expm1(mean - half), math.expm1(mean + half)
    return Gain(over, math.expm1(mean), low, high, count, _verdict(low, high))


def _verdict(low: float, high: float) -> Verdict:
    """Alike comes first: a tenth of a per cent, however certain, is nothing that anybody follows for."""
    if low >= -ALIKE_FRAC and high <= ALIKE_FRAC:
        return Verdict.ALIKE
    if high < 0:
        return Verdict.WORSE
    return Verdict.BETTER if low > 0 else Verdict.OPEN
