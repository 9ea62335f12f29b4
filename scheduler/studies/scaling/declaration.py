"""Declaration of the scale-up study: record, reference and settings."""

from collections.abc import Sequence
from typing import ClassVar

from scheduler.errors import SpecError
from scheduler.model.checks import check_range
from scheduler.model.host_properties import HostProperties
from scheduler.model.setting import DIRECT, AnySetting, VcpusSetting, has_direct_route, vcpus_of
from scheduler.model.study_kind import StudyKind
from scheduler.model.study_spec import PlanContext, SettingKeys, StudySpec
from scheduler.model.urls import redact_url, refuse_password
from scheduler.model.vcpus import MOST_VCPUS

STANDARD_VCPUS = (1, 2, 4, 8)
"""Default numbers of the guest's vCPUs; only those that the host has are measured."""


class ScaleUpStudy(StudySpec, frozen=True, tag="scale-up"):
    """Study of the gain by more vCPUs of the guest.

    Attributes:
        base: `direct` to measure each number of CPUs also for the reference without the I/O domain; empty for none.
    """

    kind: ClassVar[StudyKind] = StudyKind(
        name="scale-up",
        question="Do more CPUs help?",
        does="Gives the guest 1, 2, 4 and 8 vCPUs in turn, and reports the gain and the bottleneck of each doubling.",
        title="Scale-up",
        factor="vcpus",
        rates_title="Throughput over vCPUs",
        summary="more vCPUs",
        report_title="Normalised throughput over the guest's vCPUs",
        varies_vcpus=True,
        axis="vCPUs of the guest",
        protocols=("blocks", "grid", "replicate"),
        loads=("order-entry",),
        users=16,
        module="scheduler.studies.scaling",
    )
    base: str = ""

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        super().check(plan)
        refuse_password(self.base, "base")
        if self.base not in ("", DIRECT):
            named = redact_url(self.base)
            problem = f"{named!r} is another server, whose number of CPUs DomTune cannot set"
            hint = f"Write base = {DIRECT!r} on local:. For another machine, run a separate study and compare both."
            raise SpecError("base", problem, hint=hint)
        guests, bases = (
            {vcpus_of(each) for each in plan.settings if has_direct_route(each) is side} for side in (False, True)
        )
        if bases != (guests if self.base else set[int]()):
            problem = "is measured at the numbers of vCPUs of the guest, or not at all"
            raise SpecError("base", problem, hint="Have both at the same numbers, or leave it out.")

    def fit_to_host(self, settings: tuple[AnySetting, ...], facts: HostProperties) -> tuple[AnySetting, ...]:
        """Return the settings with numbers of vCPUs that the host has.

        Args:
            settings: Settings of the plan.
            facts: The host properties.

        Raises:
            SpecError: The host has fewer than two of these numbers.
        """
        settings = super().fit_to_host(settings, facts)
        had = facts.vcpus.kept([*dict.fromkeys(map(vcpus_of, settings))])  # a reference has the same numbers
        return tuple(setting for setting in settings if vcpus_of(setting) in had)

    def build_settings(self, keys: SettingKeys) -> Sequence[VcpusSetting]:
        """Return the numbers of vCPUs, and the reference's; raise SpecError."""
        vcpus = STANDARD_VCPUS if keys.vcpus is None else keys.vcpus
        if keys.splits is not None:
            problem = "has no effect when vCPUs are varied: the scheduler keeps its original settings"
            raise SpecError("splits", problem, hint="Leave it out.")
        if len(vcpus) < 2:
            raise SpecError("vcpus", "needs two numbers at least, to compare them", hint="Write vcpus = [1, 2, 4].")
        for number in vcpus:
            check_range("vcpus", number, (1, MOST_VCPUS))
        sides = (False, True) if self.base == DIRECT else (False,)
        return [VcpusSetting(number, base) for base in sides for number in sorted(vcpus)]
