"""Declaration of the study of Dom0's CPUs: its record, its key and its settings."""

from collections.abc import Sequence
from typing import ClassVar

from scheduler.errors import SpecError
from scheduler.model.checks import check_range, check_unique
from scheduler.model.host_properties import HostProperties
from scheduler.model.parameters import Parameter
from scheduler.model.placement import preset_dedicated_splits
from scheduler.model.setting import AnySetting, SplitSetting, parse_split_setting
from scheduler.model.shared_set import MOST_CPUS
from scheduler.model.split import GUEST, IO, Mode, parse_split, split_between
from scheduler.model.study_kind import StudyKind
from scheduler.model.study_spec import PlanContext, SettingKeys, StudySpec
from scheduler.translation import _

IO_CPUS = Parameter(
    name="io_cpus",
    title=_("CPUs for Dom0"),
    help=_(
        "Numbers of CPUs that the I/O domain gets for itself in turn, each once; the guest gets the other CPUs. The "
        "sweep excludes numbers that the domains cannot use."
    ),
    default=2,
    default_text=_("chosen by the host's CPUs"),
    many=True,
    low=1,
    high=MOST_CPUS - 1,
)
_PRESET_CPUS = 4  # until the host is known
_LEAST_CPUS = 2  # one for each domain


class Dom0CpusStudy(StudySpec, frozen=True, tag="dom0-cpus"):
    """Study of the number of CPUs that Dom0 should have for itself.

    Its settings are splits into whole CPUs: CPUs of the I/O domain to CPUs of the guest.

    Attributes:
        io_cpus: Numbers of CPUs of the I/O domain; empty for those that suit the host.
    """

    kind: ClassVar[StudyKind] = StudyKind(
        name="dom0-cpus",
        question=_("How many CPUs should Dom0 have?"),
        does=_("Gives Dom0 1, 2, 3 ... CPUs of its own in turn, and shows if a number beats the original settings."),
        title="Dom0's CPUs",
        factor="split",
        axis=_("CPUs of the I/O domain : CPUs of the guest"),
        summary="Dom0's CPUs",
        rates_title=_("Throughput over Dom0's CPUs"),
        report_title=_("Throughput over CPUs of the I/O domain"),
        protocols=("adaptive", "quick", "strict", "grid", "replicate"),
        module="scheduler.studies.dom0_cpus",
        keys=(IO_CPUS,),
        recommends_split=True,
        mode=Mode.DEDICATED,
    )
    io_cpus: tuple[int, ...] = ()

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        super().check(plan)
        if plan.protocol.refine:
            raise SpecError(
                "refine", _("the numbers next to the best one are measured anyway"), hint=_("Remove this key.")
            )
        if self.io_cpus:
            check_unique("io_cpus", list(map(str, self.io_cpus)))
        for number in self.io_cpus:
            check_range("io_cpus", number, (int(IO_CPUS.low), int(IO_CPUS.high)))

    def build_settings(self, keys: SettingKeys) -> Sequence[SplitSetting]:
        """Return settings for a host of as many CPUs as needed; raise SpecError.

        `fit_to_host` replaces them once the host is known.

        Args:
            keys: The plan's keys.
        """
        if keys.splits is not None:
            problem = _("means nothing in the study {kind!r}").format(kind=self.kind.name)
            raise SpecError("splits", problem, hint=_("Write io_cpus = [1, 2, 4], or leave both out."))
        if not self.io_cpus:
            return [parse_split_setting(label) for label in preset_dedicated_splits(_PRESET_CPUS)]
        return _divide(self.io_cpus, max(_PRESET_CPUS, max(self.io_cpus) + 1))

    def fit_to_host(self, settings: tuple[AnySetting, ...], facts: HostProperties) -> tuple[AnySetting, ...]:
        """Return a setting for each number of CPUs that the host's domains can use.

        Args:
            settings: Not used: the host's CPUs decide.
            facts: The host properties.

        Raises:
            SpecError: The domains share one CPU only, or can use none of the plan's numbers.
        """
        super().fit_to_host(settings, facts)
        if len(facts.shared_cpus) < _LEAST_CPUS:
            problem = _("{kind!r} cannot be carried out on {facts}: its domains share one CPU").format(
                kind=self.kind.name, facts=facts.title
            )
            hint = facts.placement.hint or _('Share two CPUs at least: write set = "pool" in [cpus].')
            raise SpecError("study", problem, hint=hint)
        cpus, usable = len(facts.shared_cpus), list_usable_numbers(facts)
        numbers = [number for number in self.io_cpus or preset_numbers(cpus) if number in usable]
        if not numbers and self.io_cpus:
            problem = _("{facts} can use none of these numbers: {explain_range}").format(
                facts=facts.title, explain_range=explain_range(facts)
            )
            raise SpecError(
                "io_cpus", problem, hint=_("Write io_cpus = {usable}, or leave it out.").format(usable=list(usable)[:4])
            )
        return tuple(_divide(numbers or usable, cpus))  # pyright: ignore[reportReturnType] - of the settings' type


def preset_numbers(cpus: int) -> list[int]:
    """Return numbers of CPUs for the I/O domain.

    Up to 8 CPUs these are all numbers. Beyond, they are spread by their ratio.

    Args:
        cpus: Number of shared CPUs, >= 2.
    """
    return [round(parse_split(label).io) for label in preset_dedicated_splits(cpus)]


def list_usable_numbers(facts: HostProperties) -> range:
    """Return the numbers of CPUs for the I/O domain that have an effect, ascending.

    The I/O domain cannot use more CPUs than it has vCPUs, nor can the guest. Where both have fewer vCPUs than there are
    CPUs, all numbers are alike and one remains.
    """
    cpus = len(facts.shared_cpus)
    vcpus = {domain.id: domain.vcpus for domain in facts.domains}
    low, high = max(1, cpus - vcpus.get(GUEST, cpus)), min(cpus - 1, vcpus.get(IO, cpus))
    return range(low if low <= high else high, high + 1)


def explain_range(facts: HostProperties) -> str:
    """Return the usable numbers of CPUs, and the reason, as a clause."""
    cpus, usable = len(facts.shared_cpus), list_usable_numbers(facts)
    counts = " and ".join(
        _("{domain} has {vcpus}").format(domain=domain.name, vcpus=domain.vcpus) for domain in facts.domains[:2]
    )
    least, most = usable[0], usable[-1]
    span = str(least) if least == most else _("{least} to {most}").format(least=least, most=most)
    return _("of {cpus} shared CPUs, {span} can be the I/O domain's ({counts} vCPUs)").format(
        cpus=cpus, span=span, counts=counts
    )


def _divide(numbers: Sequence[int], cpus: int) -> list[SplitSetting]:
    return [SplitSetting(split_between(number, cpus - number)) for number in sorted(numbers)]
