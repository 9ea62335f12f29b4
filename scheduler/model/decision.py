"""Decision of a sweep: change the split, keep the original settings, or neither."""

import enum

import msgspec

from scheduler.model.setting import SplitSetting

MOST_MINUTES_LEFT = 600.0
"""Minutes beyond which no estimate of the remaining time is stated: the host changes in longer sweeps. Chosen."""


class SweepPurpose(enum.StrEnum):
    """Purpose of the sweep, which the person states."""

    IMPROVE = "improve"
    """Change the split only if that pays; the original settings win ties."""
    DIVIDE = "divide"
    """The CPU has to be divided, at any cost against the original settings."""


class DecisionKind(enum.StrEnum):
    """Kinds of decisions."""

    CHANGE = "change"
    STAY = "stay"
    NOT_YET = "not_yet"
    UNKNOWN = "unknown"


class SweepDecision(msgspec.Struct, frozen=True, kw_only=True):
    """Decision of a sweep, the same in every place that names a split.

    Only `change` asks for a change.

    Attributes:
        kind: Change, stay, not yet, or unknown.
        purpose: Purpose of the sweep.
        setting: Split that the decision is about; None when no split could be compared.
        gain_frac: Gain of that split over the original settings, > -1; None when it was not measured.
        gain_ci95_frac: Its 95 % interval; None when too few trials show how much trials differ.
        worth_frac: Smallest gain that is worth a change, 0..1.
        minutes_left: Least minutes of further trials that would probably decide, > 0; None when unknown or beyond
            `MOST_MINUTES_LEFT`.
        missing: Reason why the decision is not known, is not made yet, or does not matter, as a clause; else empty.
    """

    kind: DecisionKind = DecisionKind.UNKNOWN
    purpose: SweepPurpose = SweepPurpose.IMPROVE
    setting: SplitSetting | None = None
    gain_frac: float | None = None
    gain_ci95_frac: tuple[float, float] | None = None
    worth_frac: float = 0.0
    minutes_left: float | None = None
    missing: str = ""

    @property
    def label(self) -> str:
        """Label of the split that the decision is about; empty for none."""
        return "" if self.setting is None else self.setting.label

    @property
    def ordered(self) -> SplitSetting | None:
        """Split to set without a further confirmation; None unless the kind is `change`."""
        return self.setting if self.kind is DecisionKind.CHANGE else None


class SplitRank(enum.StrEnum):
    """Ranks of a split in an answer, the same for plot, list, table and comparison."""

    ORDERED = "ordered"
    BEST = "best"
    BEST_SO_FAR = "best_so_far"
    AS_GOOD = "as_good"
    MAY_BE_AS_GOOD = "may_be_as_good"
    OTHER = "other"
