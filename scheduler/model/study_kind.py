"""Record of a study: its question, its texts and the choices that suit it."""

from collections.abc import Iterable, Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.parameters import Parameter
from scheduler.model.split import Mode
from scheduler.translation import _


class StudyKind(msgspec.Struct, frozen=True, kw_only=True):
    """Fixed properties of one study.

    Attributes:
        name: Name in plan files.
        question: The question, as in the wizard.
        does: One sentence about the method.
        title: Its short name, for example in a list of results.
        factor: The swept factor: the tag of its settings.
        axis: Title of the axis of settings.
        protocols: Names of the protocols that suit it, the standard one first.
        module: Its package, with `plan` (`PlanModule`) and `finding` (`ANSWERS`, of `AnswersRuns`).
        loads: Kinds of loads of a plan without loads; empty for the standard loads.
        users: Users of a load without a number of users.
        splits: Splits of a plan without splits.
        keys: Keys that only its plans have; each is a field of its struct, with the same default, and of the wizard.
        control_keys: As `keys`, for values with a control of their own in the wizard.
        domain_keys: As `control_keys`, for keys of the plan's table `domains`.
        setting_keys: Keys that only its plans have and from which it builds its settings (`SettingKeys`).
        mode: Mode of its splits, where its plans have neither `mode` nor `splits`: its own keys decide; else None.
        recommends_split: True when its answer is a split to use, by an objective; the split may be applied.
        rates_title: Title of the plot of its rates.
        report_title: Title of the first chart of its report; empty for that of the rates.
        summary: Its part of the default name of a run; `{n}` is the largest number of users. Empty for the title.
        compares_sides: True when it compares routes to a database: without limits no domain competes for the CPU.
        varies_users: True when it varies the number of users: a load's own number is the largest one.
        varies_vcpus: True when it varies the number of the guest's vCPUs.
        has_two_guests: True when it loads two guests; its splits are of three domains.
    """

    name: str
    question: str
    does: str
    title: str
    factor: str
    axis: str
    protocols: tuple[str, ...]
    module: str
    loads: tuple[str, ...] = ()
    users: int = 5
    splits: tuple[str, ...] = ()
    keys: tuple[Parameter, ...] = ()
    control_keys: tuple[Parameter, ...] = ()
    domain_keys: tuple[Parameter, ...] = ()
    setting_keys: tuple[Parameter, ...] = ()
    mode: Mode | None = None
    recommends_split: bool = False
    rates_title: str = _("Throughput per split")
    report_title: str = ""
    summary: str = ""
    compares_sides: bool = False
    varies_users: bool = False
    varies_vcpus: bool = False
    has_two_guests: bool = False

    @property
    def own_keys(self) -> Mapping[str, Parameter]:
        """Path in the plan to declaration, of the keys that only its plans have."""
        top = {key.name: key for key in (*self.keys, *self.control_keys, *self.setting_keys)}
        return top | {f"domains.{key.name}": key for key in self.domain_keys}

    @property
    def factor_title(self) -> str:
        """Its factor as text for a sentence."""
        return {"users": _("number of users"), "vcpus": _("number of vCPUs")}.get(self.factor, self.factor)

    @property
    def setting_title(self) -> str:
        """Heading of a column of settings."""
        return "vCPUs" if self.varies_vcpus else self.factor.capitalize()

    @property
    def has_two_way_splits(self) -> bool:
        """True where a plan may name splits of I/O domain and guest."""
        return not (self.varies_vcpus or self.has_two_guests or self.mode)

    def refuse_protocol(self, protocol: str) -> None:
        """Refuse a protocol that does not suit the study; raise SpecError."""
        if protocol not in self.protocols:
            hint = _("Take {protocols}.").format(protocols=" or ".join(self.protocols))
            raise SpecError(
                "protocol",
                _("{protocol!r} does not suit the study {value!r}").format(protocol=protocol, value=self.name),
                hint=hint,
            )

    def refuse_settings(self, factors: Iterable[str]) -> None:
        """Refuse settings of another factor than the study's; raise SpecError."""
        for factor in factors:
            if factor != self.factor:
                hint = _("It varies {factor}.").format(factor=self.factor)
                raise SpecError(
                    "settings",
                    _("the study {value!r} has no settings of {factor!r}").format(value=self.name, factor=factor),
                    hint=hint,
                )


def list_doublings(least: int, most: int) -> tuple[int, ...]:
    """Return numbers from `least` to `most`, each twice the one before.

    The largest number is included.

    Args:
        least: Smallest number, >= 1.
        most: Largest number.
    """
    found = [least]
    while found[-1] * 2 < most:
        found.append(found[-1] * 2)
    return (*found, most) if most > least else (least,)
