"""What following has brought: whole epochs of each arm, compared within blocks; no rate ever decides on a split."""

import math

from scheduler.follow.ab_gain import FollowingGain, PeriodPair, PeriodRate, compare_pairs
from scheduler.follow.ab_schedule import SKIPPED_S, ComparisonPeriod, Variant
from scheduler.model.commit_counter import CommitDelta

_DAY_S = 86_400.0
_LEAST_COUNTED_FRAC = 0.5  # of an epoch after its start; else it is no measurement


def planned_looks(for_s: float) -> int:
    """Return how often a run looks at its gain: once a day, and at its end."""
    return max(1, math.ceil(for_s / _DAY_S - 1e-9))


def looks_so_far(elapsed_s: float, for_s: float) -> int:
    """Return how many looks are due by then."""
    return planned_looks(for_s) if elapsed_s >= for_s else int(elapsed_s // _DAY_S)


class VariantComparison:
    """Rates by block and arm; fed window by window.

    Args:
        looks: How many are planned.
    """

    def __init__(self, looks: int) -> None:
        self._looks = looks
        self._blocks: dict[int, dict[Variant, PeriodRate]] = {}
        self._epoch: ComparisonPeriod | None = None
        self._sums = _PeriodSums()
        self.off = ""  # why no more is counted

    def take(
        self,
        epoch: ComparisonPeriod,
        ended_s: float,
        took_s: float,
        counted: CommitDelta | None,
        *,
        slack: bool | None = None,
    ) -> PeriodRate | None:
        """Take a window; return the epoch that it ended, if it did.

        Args:
            epoch: The one in which it lay.
            ended_s: When it ended, on the run's clock.
            took_s: How long it was.
            counted: What the database did in it; None where that is not known.
            slack: Whether neither domain was near its limit; None where that is not known.
        """
        ended = self._switch_period(epoch)
        if ended_s - took_s >= epoch.begins_s + SKIPPED_S - took_s / 2:
            self._sums.take(took_s, None if self.off else counted, slack=slack)
        return ended

    def close(self) -> PeriodRate | None:
        """Return the epoch that was under way; to be called once it is over."""
        return self._switch_period(None)

    def turn_off(self, why: str) -> None:
        """Count no more: what was counted until now stays."""
        self.off = self.off or why

    def gain(self, over: Variant) -> FollowingGain | None:
        """Return what following has brought over another arm so far; None before the first whole block."""
        whole = [block for block in self._blocks.values() if Variant.FOLLOWING in block and over in block]
        return compare_pairs([PeriodPair(block[Variant.FOLLOWING], block[over]) for block in whole], over, self._looks)

    def _switch_period(self, epoch: ComparisonPeriod | None) -> PeriodRate | None:
        before, sums = self._epoch, self._sums
        if before == epoch:
            return None
        self._epoch, self._sums = epoch, _PeriodSums()
        if before is None or before.block is None:
            return None
        rate = sums.over(before)
        if rate.rate_tps:
            self._blocks.setdefault(before.block, {})[before.arm] = rate
        return rate


class _PeriodSums:
    """What was counted in an epoch so far."""

    def __init__(self) -> None:
        self._passed_s = self._counted_s = self._timed_s = self._active_s = 0.0
        self._commits = self._timed = 0
        self._told = self._slack = 0

    def take(self, took_s: float, counted: CommitDelta | None, *, slack: bool | None) -> None:
        self._passed_s += took_s
        self._told += slack is not None
        self._slack += slack is True
        if counted is None:
            return
        self._commits += counted.commits
        self._counted_s += took_s
        if counted.active_s is not None:
            self._timed += counted.commits
            self._timed_s += took_s
            self._active_s += counted.active_s

    def over(self, epoch: ComparisonPeriod) -> PeriodRate:
        least_s = _LEAST_COUNTED_FRAC * (epoch.ends_s - epoch.begins_s - SKIPPED_S)
        enough = self._counted_s >= least_s and self._passed_s >= least_s
        timed = self._timed_s >= least_s and self._timed > 0
        return PeriodRate(
            epoch,
            rate_tps=self._commits / self._counted_s if enough else None,
            transaction_s=self._active_s / self._timed if timed else None,
            slack_frac=self._slack / self._told if self._told else None,
        )
