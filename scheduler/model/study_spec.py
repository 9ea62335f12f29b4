"""Base of the studies: what a plan of each study has to satisfy."""

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, NamedTuple

import msgspec

from scheduler.errors import SpecError
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.parameters import Parameter
from scheduler.model.protocols import SweepProtocol
from scheduler.model.setting import AnySetting, HasLabel, factor_of
from scheduler.model.split import DomainId, Mode, Split, parse_split
from scheduler.model.study_kind import StudyKind
from scheduler.translation import _

REFERENCE_KEY = Parameter(
    name="base",
    title=_("Reference"),
    help=_(
        "Reference of the comparison. In overhead the URL of a database without a password; by default the database "
        'of the host, reached directly. In scale-up, "direct" also measures each number of vCPUs without the '
        "I/O domain."
    ),
    default="",
    checked=False,
)
"""Key of the studies that compare with a reference."""


class SettingKeys(NamedTuple):
    """Keys of a plan from which a study builds its settings.

    Attributes:
        splits: The plan's splits; None for the default.
        loads: Its loads; where users are varied, their numbers of users are the largest ones.
        vcpus: The plan's numbers of the guest's vCPUs; None for the default.
        modes: The plan's modes of an isolation study; None for the default.
    """

    splits: Sequence[str] | None
    loads: Sequence[LoadSpec]
    vcpus: Sequence[int] | None = None
    modes: Sequence[str] | None = None

    def read_splits(self, standard: Sequence[str], count: int = 2) -> list[Split]:
        """Return the plan's splits.

        Args:
            standard: Splits of a plan without splits.
            count: Number of domains of each split.

        Raises:
            SpecError: A split cannot be read.
        """
        named = standard if self.splits is None else self.splits
        return [parse_split(text, f"splits[{i}]", count=count) for i, text in enumerate(named)]


class PlanContext(NamedTuple):
    """Parts of a plan that a study's own fields have to suit.

    Attributes:
        host_url: URL of the host.
        settings: All settings.
        loads: All loads; of an isolation study the first guest's load first, the second guest's last.
        protocol: The protocol.
        mode: Mode of splits without a mode of their own.
        domains: The plan's names of the I/O domain and of the guest; empty where it names none.
        remote: True when the users run on other computers.
    """

    host_url: str
    settings: Sequence[HasLabel]
    loads: Sequence[LoadSpec]
    protocol: SweepProtocol
    mode: Mode
    domains: Collection[str]
    remote: bool


class StudySpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="name"):
    """A question about a host; each study adds the fields that only its plans have.

    Attributes:
        kind: Record of the study.
    """

    kind: ClassVar[StudyKind]

    def check(self, plan: PlanContext) -> None:
        """Refuse a plan that does not suit the study; raise SpecError."""
        self.kind.refuse_protocol(plan.protocol.name)
        self.kind.refuse_settings(factor_of(setting) for setting in plan.settings)
        if plan.protocol.refine and not self.kind.recommends_split:
            raise SpecError("refine", _("is between splits"), hint=_("Leave it out."))

    def build_settings(self, keys: SettingKeys) -> Sequence[HasLabel]:
        """Return the settings of a plan; each study has its own.

        Args:
            keys: The plan's keys.

        Raises:
            SpecError: A key is wrong, or has no meaning in this study.
        """
        raise NotImplementedError

    def fit_to_host(self, settings: tuple[AnySetting, ...], facts: HostProperties) -> tuple[AnySetting, ...]:
        """Return the settings that a host has.

        Args:
            settings: Settings of the plan.
            facts: The host properties.

        Raises:
            SpecError: The study cannot be carried out on this host.
        """
        why, hint = facts.missing_reason(self.kind)
        if why:
            problem = _("{kind!r} cannot be carried out on {facts}: {why}").format(
                kind=self.kind.name, facts=facts.title, why=why
            )
            raise SpecError("study", problem, hint=hint)
        return settings

    @property
    def databases(self) -> tuple[str, ...]:
        """Databases of the study in addition to those of the loads, as in the plan."""
        return ()

    @property
    def reference_url(self) -> str:
        """URL of the reference server, which is measured in turn; empty for none."""
        return ""

    @property
    def database_hint(self) -> str:
        """Advice where the loads name different databases; empty for none."""
        return ""

    @property
    def server_settings(self) -> Mapping[str, str]:
        """Settings of the built-in database server, where the plan has none."""
        return {}

    def guest_loads(self, loads: Sequence[LoadSpec]) -> dict[DomainId, LoadSpec]:
        """Return guest to its load in an isolation study; empty in others."""
        del loads
        return {}
