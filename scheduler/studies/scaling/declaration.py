"""Declaration of the scale-up study: finding, record, reference and settings."""

import enum
from collections.abc import Sequence
from typing import ClassVar

import msgspec

from scheduler.errors import SpecError
from scheduler.model.base_answer import BaseFinding
from scheduler.model.checks import check_range
from scheduler.model.estimate import Estimate, estimate_of
from scheduler.model.host_properties import HostProperties
from scheduler.model.parameters import Parameter
from scheduler.model.reference_comparison import ReferenceRatio
from scheduler.model.setting import DIRECT, AnySetting, VcpusSetting, has_direct_route, vcpus_of
from scheduler.model.study_kind import StudyKind
from scheduler.model.study_spec import REFERENCE_KEY, PlanContext, SettingKeys, StudySpec
from scheduler.model.urls import redact_url, refuse_password
from scheduler.model.vcpus import MOST_VCPUS
from scheduler.translation import _

STANDARD_VCPUS = (1, 2, 4, 8)
"""Default numbers of the guest's vCPUs; only those that the host has are measured."""


class SaturatedPart(enum.StrEnum):
    """Saturated part of the host at a number of vCPUs."""

    GUEST = "guest"
    IO = "io"
    BOTH = "both"  # the CPUs that both domains share
    CLIENT = "client"
    NOTHING = "nothing"
    UNKNOWN = "unknown"  # no CPU was measured


class VcpuThroughput(msgspec.Struct, frozen=True, kw_only=True):
    """Throughput at one number of the guest's vCPUs under one load.

    Attributes:
        load: Load kind.
        unit: Unit of its rates.
        vcpus: Number of vCPUs.
        mean_tps: Mean throughput over the blocks.
        ratio: Normalised throughput: that of the smallest number is 1; over the blocks that have both.
        ci95: Its 95 % interval; None for the smallest number itself, and with too few blocks.
        blocks: Number of blocks that have both.
        guest_cpus: CPU used by the guest, in CPUs; None where it was not measured.
        io_cpus: CPU used by the I/O domain, in CPUs; None where it was not measured.
        client_frac: CPU of all users over the CPUs left to them, or of the busiest user over one CPU, the larger, 0..1.
        filled: Saturated part.
    """

    load: str
    unit: str
    vcpus: int
    mean_tps: float
    ratio: float
    ci95: tuple[float, float] | None = None
    blocks: int
    guest_cpus: float | None = None
    io_cpus: float | None = None
    client_frac: float = 0.0
    filled: SaturatedPart = SaturatedPart.UNKNOWN


class VcpuStep(msgspec.Struct, frozen=True, kw_only=True):
    """Gain of one step to the next number of vCPUs, within blocks.

    Attributes:
        load: Load kind.
        fewer: The smaller number.
        more: The larger number.
        gain_frac: Gain of throughput as a fraction of that of the smaller number.
        ci95_frac: Its 95 % interval; None with too few blocks.
        doubling_frac: Gain of one doubling, where `more` is not twice `fewer`.
        doubling_ci95_frac: Its 95 % interval.
        blocks: Number of blocks that have both.
        io_added_cpus: Change of the CPU used by the I/O domain, in CPUs; None where it was not measured.
        io_added_ci95_cpus: Its 95 % interval.
    """

    load: str
    fewer: int
    more: int
    gain_frac: float
    ci95_frac: tuple[float, float] | None = None
    doubling_frac: float
    doubling_ci95_frac: tuple[float, float] | None = None
    blocks: int
    io_added_cpus: float | None = None
    io_added_ci95_cpus: tuple[float, float] | None = None

    @property
    def gain(self) -> Estimate:
        """Gain with its interval, as a fraction."""
        return estimate_of(self.gain_frac, self.ci95_frac)

    @property
    def gains(self) -> bool:
        """True where the larger number is certainly better."""
        return self.ci95_frac is not None and self.ci95_frac[0] > 0.0


class ScaleUpFinding(BaseFinding, frozen=True, kw_only=True, tag="scale-up"):
    """Finding of a scale-up study.

    Attributes:
        sizes: One per load and number of vCPUs, ascending.
        steps: One per load and pair of adjacent numbers, ascending.
        references: One per load and number with a measured reference, ascending; empty without a reference.
    """

    sizes: tuple[VcpuThroughput, ...] = ()
    steps: tuple[VcpuStep, ...] = ()
    references: tuple[ReferenceRatio, ...] = ()


class ScaleUpStudy(StudySpec, frozen=True, tag="scale-up"):
    """Study of the gain by more vCPUs of the guest.

    Attributes:
        base: `direct` to measure each number of CPUs also for the reference without the I/O domain; empty for none.
    """

    kind: ClassVar[StudyKind] = StudyKind(
        name="scale-up",
        question=_("Do more CPUs help?"),
        does=_(
            "Gives the guest 1, 2, 4 and 8 vCPUs in turn, and reports the gain and the bottleneck of each doubling."
        ),
        title="Scale-up",
        factor="vcpus",
        rates_title=_("Throughput over vCPUs"),
        summary=_("more vCPUs"),
        report_title=_("Normalised throughput over the guest's vCPUs"),
        varies_vcpus=True,
        axis=_("vCPUs of the guest"),
        protocols=("blocks", "grid", "replicate"),
        loads=("order-entry",),
        users=16,
        module="scheduler.studies.scaling",
        control_keys=(REFERENCE_KEY,),
        setting_keys=(
            Parameter(
                name="vcpus",
                title="vCPUs",
                help=_(
                    "Numbers of the guest's vCPUs to compare, at least two, each once; the sweep excludes numbers "
                    "that the host does not have."
                ),
                default=2,
                default_text="1, 2, 4, 8",
                many=True,
                low=1,
                high=MOST_VCPUS,
            ),
        ),
    )
    base: str = ""

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        super().check(plan)
        refuse_password(self.base, "base")
        if self.base not in ("", DIRECT):
            named = redact_url(self.base)
            problem = _("{named!r} is another server, whose number of CPUs DomTune cannot set").format(named=named)
            hint = _(
                "Write base = {direct!r} on local:. For another machine, run a separate study and compare both."
            ).format(direct=DIRECT)
            raise SpecError("base", problem, hint=hint)
        guests, bases = (
            {vcpus_of(each) for each in plan.settings if has_direct_route(each) is side} for side in (False, True)
        )
        if bases != (guests if self.base else set[int]()):
            problem = _("is measured at the numbers of vCPUs of the guest, or not at all")
            raise SpecError("base", problem, hint=_("Have both at the same numbers, or leave it out."))

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
            problem = _("has no effect when vCPUs are varied: the scheduler keeps its original settings")
            raise SpecError("splits", problem, hint=_("Leave it out."))
        if len(vcpus) < 2:
            raise SpecError(
                "vcpus", _("needs two numbers at least, to compare them"), hint=_("Write vcpus = [1, 2, 4].")
            )
        for number in vcpus:
            check_range("vcpus", number, (1, MOST_VCPUS))
        sides = (False, True) if self.base == DIRECT else (False,)
        return [VcpusSetting(number, base) for base in sides for number in sorted(vcpus)]
