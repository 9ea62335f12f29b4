"""Declaration of the capacity study: its record, its key and its settings."""

from collections.abc import Sequence
from typing import ClassVar

from scheduler.errors import SpecError
from scheduler.model.parameters import Parameter
from scheduler.model.setting import UsersSetting
from scheduler.model.study_kind import StudyKind, list_doublings
from scheduler.model.study_spec import PlanContext, SettingKeys, StudySpec


class CapacityStudy(StudySpec, frozen=True, tag="capacity"):
    """Study of the number of users at which the host saturates.

    Attributes:
        demand_users: Users that the host has to carry, for the advice; 0 where the plan names no number.
    """

    kind: ClassVar[StudyKind] = StudyKind(
        name="capacity",
        question="How many users can it carry?",
        does="Raises the number of users until throughput stops growing, and reports that number.",
        title="Capacity",
        factor="users",
        rates_title="Throughput over users",
        summary="up to {n} users",
        varies_users=True,
        axis="Users",
        protocols=("adaptive", "quick", "grid", "replicate"),
        loads=("tpcb",),
        users=32,
        module="scheduler.studies.capacity",
        keys=(
            Parameter(
                name="demand_users",
                title="Required users",
                help="Number of users that the host must serve, for example 50. Default: 0 (unknown). With a number, "
                "the result shows if that many users fit.",
                default=0,
                applies="capacity",
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
            hint = "Write users = 32, for example: so many are tried at most."
            raise SpecError("load.users", f"with at most {most} there is no number to find", hint=hint)
        splits = keys.read_splits(()) or (None,)
        return [UsersSetting(users, split) for split in splits for users in list_doublings(1, most)]
