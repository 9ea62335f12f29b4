"""Declaration of the capacity study: finding, record, key and settings."""

import enum
from collections.abc import Sequence
from typing import ClassVar

import msgspec

from scheduler.errors import SpecError
from scheduler.model.base_answer import BaseFinding
from scheduler.model.parameters import Parameter
from scheduler.model.setting import UsersSetting
from scheduler.model.study_kind import StudyKind, list_doublings
from scheduler.model.study_spec import PlanContext, SettingKeys, StudySpec
from scheduler.translation import _


class CapacityMargin(enum.StrEnum):
    """Comparison of a knee with the required number of users."""

    ROOM = "room"
    CONTRACT = "contract"  # so much room that less CPU would be enough
    AT_THE_KNEE = _("at the knee")
    EXPAND = "expand"
    UNKNOWN = "unknown"  # no required number, or the range ends before it


DECIDED_RATIO = 2
"""Largest ratio of the ends of a decided knee's interval: one doubling of the users."""


class KneeEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """Number of users at which throughput stops rising, for one load at one split.

    N95 is the smallest number of users at which the mean throughput reaches 95 % of the highest in the studied range.

    Attributes:
        load: Load kind.
        unit: Unit of its rates.
        split: Label of the split; empty for the original settings.
        above: More users than this are needed to reach 95 %, >= 0.
        most: Number of users that is enough to reach 95 %.
        open: True when the range may end before the knee: no knee is stated or extrapolated.
        tried: Largest number of users that was measured.
        highest_tps: Throughput at the best number.
        highest_ci95_tps: Its 95 % interval.
        best_users: Number of users with the highest mean.
        crossing_users: N* = highest throughput / that of one user, and its 95 % interval: the number of users at which
            a server without waiting would saturate (Little's law); None where one user was not measured.
        falls_frac: Loss at the largest number of users against the best number, as a fraction, where certain; else 0.
        trials: Number of valid trials.
        below_text: Limit of the throughput below the knee, as a sentence; empty where unknown.
        beyond_text: Limit of the throughput beyond the knee, as a sentence; empty where unknown.
        room: Comparison with the required number of users.
        next_users: Numbers of users of the block that would narrow the interval; empty where it is decided or open.
    """

    load: str
    unit: str
    split: str = ""
    above: int
    most: int
    open: bool
    tried: int
    highest_tps: float
    highest_ci95_tps: tuple[float, float]
    best_users: int
    crossing_users: tuple[float, float, float] | None = None
    falls_frac: float = 0.0
    trials: int
    below_text: str = ""
    beyond_text: str = ""
    room: CapacityMargin = CapacityMargin.UNKNOWN
    next_users: tuple[int, ...] = ()

    @property
    def is_decided(self) -> bool:
        """True where the knee is known to one doubling; only then a number is stated."""
        return not self.open and self.most <= DECIDED_RATIO * max(1, self.above)

    @property
    def beyond(self) -> bool:
        """True where the knee is open and certainly beyond half of the measured range.

        Otherwise too little is known: more trials would help, not more users.
        """
        return self.open and 2 * self.above >= self.tried


class CapacityFinding(BaseFinding, frozen=True, kw_only=True, tag="capacity"):
    """Finding of a capacity study.

    Attributes:
        knees: One per load and split with enough trials.
        demand_users: Required number of users; 0 where the plan names none.
    """

    knees: tuple[KneeEstimate, ...] = ()
    demand_users: int = 0


class CapacityStudy(StudySpec, frozen=True, tag="capacity"):
    """Study of the number of users at which the host saturates.

    Attributes:
        demand_users: Users that the host has to carry, for the advice; 0 where the plan names no number.
    """

    kind: ClassVar[StudyKind] = StudyKind(
        name="capacity",
        question=_("How many users can it carry?"),
        does=_("Raises the number of users until throughput stops growing, and reports that number."),
        title=_("Capacity"),
        factor="users",
        rates_title=_("Throughput over users"),
        summary=_("up to {n} users"),
        varies_users=True,
        axis="Users",
        protocols=("adaptive", "quick", "grid", "replicate"),
        loads=("tpcb",),
        users=32,
        module="scheduler.studies.capacity",
        keys=(
            Parameter(
                name="demand_users",
                title=_("Required users"),
                help=_(
                    "Number of users that the host must serve, for example 50. Default: 0 (unknown). With a number, "
                    "the result shows if that many users fit."
                ),
                default=0,
                low=0,
                high=100_000,
            ),
        ),
    )
    demand_users: int = 0

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        super().check(plan)
        self.kind.keys[0].check("demand_users", self.demand_users)

    def build_settings(self, keys: SettingKeys) -> Sequence[UsersSetting]:
        """Return numbers of users at each split; raise SpecError."""
        most = max((load.users for load in keys.loads), default=1)
        if most < 2:
            hint = _("Write users = 32, for example: so many are tried at most.")
            raise SpecError(
                "load.users", _("with at most {most} there is no number to find").format(most=most), hint=hint
            )
        splits = keys.read_splits(()) or (None,)
        return [UsersSetting(users, split) for split in splits for users in list_doublings(1, most)]
