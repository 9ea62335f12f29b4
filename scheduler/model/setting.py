"""Setting: one value of the factor that a study varies.

The split study varies the split. Capacity varies the number of users (at a split, or with the original settings).
Overhead varies the route to the database and its limits. Scale-up varies the number of the guest's vCPUs. Isolation
varies the loaded guests, the mode and a split of three domains.

Another study adds a struct with a label, a position on the plot's axis and a tick to the union `Setting`
(`scheduler/model/studies.py`). Engine, store, plots and statistics use nothing else of a setting.

Each setting has all levels: `split`, `users`, `vcpus` (0 for the original number), `base`, `mode` and `loaded`. A level
that the study does not vary is a class attribute with the value for none. Therefore no code checks the type of a
setting.
"""

import math
from typing import ClassVar, Protocol, TypeVar, cast

import msgspec

from scheduler.errors import SpecError
from scheduler.model.guests import LoadedGuests
from scheduler.model.number_texts import format_cpu_count, format_users, format_vcpus
from scheduler.model.split import GUEST, IO, DomainId, Mode, Split, parse_split
from scheduler.translation import _

BASELINE = "baseline"  # label of a trial of the original settings; no setting has this label

DIRECT, VIA_IO_DOMAIN = "direct", _("via the I/O domain")  # labels of two sides


class HasLabel(Protocol):
    """A setting of any study: its texts and its place on the plot's axis."""

    @property
    def label(self) -> str:
        """Label for people, unique within a study."""
        ...

    @property
    def position(self) -> float:
        """Position on the plot's axis."""
        ...

    @property
    def tick(self) -> str:
        """Text below the axis at this position."""
        ...


class SplitSetting(msgspec.Struct, frozen=True, tag_field="factor", tag="split"):
    """The split as the swept factor."""

    split: Split
    users: ClassVar[None] = None
    vcpus: ClassVar[int] = 0
    base: ClassVar[bool] = False
    mode: ClassVar[None] = None
    loaded: ClassVar[None] = None

    @property
    def label(self) -> str:
        """Label for people, unique within a sweep."""
        return self.split.label

    @property
    def position(self) -> float:
        """Position on the axis: ln(I/O domain / guest), 0 for 1:1."""
        return math.log(self.split.io / self.split.guest)

    @property
    def tick(self) -> str:
        """Text below the axis at this position."""
        return self.label


class UsersSetting(msgspec.Struct, frozen=True, tag_field="factor", tag="users"):
    """The number of closed-loop users as the swept factor.

    Attributes:
        users: Number of users, >= 1.
        split: Split that the users are measured at; None for the original settings.
    """

    users: int
    split: Split | None = None
    vcpus: ClassVar[int] = 0
    base: ClassVar[bool] = False
    mode: ClassVar[None] = None
    loaded: ClassVar[None] = None

    @property
    def label(self) -> str:
        """Label for people, unique within a study."""
        words = format_users(self.users)
        return _("{words} at {label}").format(words=words, label=self.split.label) if self.split else words

    @property
    def position(self) -> float:
        """Position on the axis: log2(users), 0 for one user."""
        return math.log2(self.users)

    @property
    def tick(self) -> str:
        """Text below the axis at this position."""
        return str(self.users)


class SideSetting(msgspec.Struct, frozen=True, tag_field="factor", tag="side"):
    """The route to the database and its limits as the compared factor.

    Attributes:
        base: True for the reference: the users reach the database without the I/O domain.
        split: Split that the host is set to; None for the original settings.
    """

    base: bool
    split: Split | None = None
    users: ClassVar[None] = None
    vcpus: ClassVar[int] = 0
    mode: ClassVar[None] = None
    loaded: ClassVar[None] = None

    def __post_init__(self) -> None:
        """Refuse a reference with a split; raise SpecError.

        A reference is measured without limits.
        """
        if self.base and self.split:
            raise SpecError("setting", _("the base is measured without limits"), hint=_("Leave its split out."))

    @property
    def label(self) -> str:
        """Label for people, unique within a study."""
        if self.base:
            return DIRECT
        return _("confined at {label}").format(label=self.split.label) if self.split else VIA_IO_DOMAIN

    @property
    def position(self) -> float:
        """Position on the axis: the reference, the original settings, then the splits.

        Splits are sorted by the I/O domain's share.
        """
        return 0.0 if self.base else 1.5 + self.split.io_frac if self.split else 1.0

    @property
    def tick(self) -> str:
        """Text below the axis at this position."""
        return self.label


class VcpusSetting(msgspec.Struct, frozen=True, tag_field="factor", tag="vcpus"):
    """The number of the guest's vCPUs as the swept factor.

    Attributes:
        vcpus: Number of vCPUs that are online, >= 1.
        base: True for the reference: as many CPUs, without the I/O domain.
    """

    vcpus: int
    base: bool = False
    split: ClassVar[None] = None
    users: ClassVar[None] = None
    mode: ClassVar[None] = None
    loaded: ClassVar[None] = None

    @property
    def label(self) -> str:
        """Label for people, unique within a study."""
        return f"{format_cpu_count(self.vcpus)}, {DIRECT}" if self.base else format_vcpus(self.vcpus)

    @property
    def position(self) -> float:
        """Position on the axis: log2(vCPUs), 0 for one."""
        return math.log2(self.vcpus)

    @property
    def tick(self) -> str:
        """Text below the axis at this position."""
        return str(self.vcpus)


class GuestsSetting(msgspec.Struct, frozen=True, tag_field="factor", tag="guests"):
    """The loaded guests, at a split of three domains with caps or weights.

    Attributes:
        split: Shares of the I/O domain and of both guests.
        mode: Caps or weights.
        loaded: The guests with users.
    """

    split: Split
    mode: Mode
    loaded: LoadedGuests
    users: ClassVar[None] = None
    vcpus: ClassVar[int] = 0
    base: ClassVar[bool] = False

    @property
    def label(self) -> str:
        """Label for people, unique within a study."""
        return f"{self.split.label} {self.mode}, {self.loaded.value}"

    @property
    def position(self) -> float:
        """Position on the axis: by the I/O domain's share, then mode, then loaded guests."""
        place = 3 * list(Mode).index(self.mode) + list(LoadedGuests).index(self.loaded)
        return 10 * self.split.frac_of(IO) + self.split.frac_of(GUEST) + 0.01 * place

    @property
    def tick(self) -> str:
        """Text below the axis at this position, without the word "alone"."""
        return self.label.removesuffix(" alone")


AnySetting = TypeVar("AnySetting", bound=HasLabel)
UsualMode = TypeVar("UsualMode", bound=Mode | None)


class _SettingLevels(Protocol):
    """Levels of a setting.

    Some structs have them as class attributes, which pyright accepts in no protocol.
    """

    @property
    def split(self) -> Split | None: ...
    @property
    def users(self) -> int | None: ...
    @property
    def vcpus(self) -> int: ...
    @property
    def base(self) -> bool: ...
    @property
    def mode(self) -> Mode | None: ...
    @property
    def loaded(self) -> LoadedGuests | None: ...


def _levels(setting: HasLabel) -> _SettingLevels:
    return cast("_SettingLevels", setting)


def parse_split_setting(text: str, field: str = "split") -> SplitSetting:
    """Parse `a:b` as a setting.

    Args:
        text: The split.
        field: Path of the key, for the error.

    Raises:
        SpecError: The text is no split.
    """
    return SplitSetting(parse_split(text, field))


def factor_of(setting: HasLabel) -> str:
    """Return the factor that a setting is a value of: the tag of its struct."""
    return str(cast("msgspec.Struct", setting).__struct_config__.tag)


def label_of(setting: HasLabel | None) -> str:
    """Return the setting's label, `baseline` for the original settings."""
    return BASELINE if setting is None else setting.label


def split_of(setting: HasLabel | None) -> Split | None:
    """Return the split that the host is set to; None for the original settings."""
    return None if setting is None else _levels(setting).split


def is_host_changed(setting: HasLabel | None) -> bool:
    """Return True when a setting changes the host from its original settings."""
    return split_of(setting) is not None or vcpus_of(setting) > 0


def users_of(setting: HasLabel | None) -> int | None:
    """Return the number of users of a setting; None where the load decides."""
    return None if setting is None else _levels(setting).users


def mode_of(setting: HasLabel | None, usual: UsualMode) -> Mode | UsualMode:
    """Return the mode of a setting's split.

    Args:
        setting: The setting; None for the original settings.
        usual: Mode of the plan, for settings without a mode of their own.
    """
    mode = None if setting is None else _levels(setting).mode
    return usual if mode is None else mode


def vcpus_of(setting: HasLabel | None) -> int:
    """Return the number of vCPUs of a setting; 0 for the original number."""
    return 0 if setting is None else _levels(setting).vcpus


def has_direct_route(setting: HasLabel | None) -> bool:
    """Return True when the users reach the database without the I/O domain."""
    return setting is not None and _levels(setting).base


def first_loaded_guest(setting: HasLabel | None) -> DomainId | None:
    """Return the first loaded guest of a setting; None where the host has one guest."""
    loaded = None if setting is None else _levels(setting).loaded
    return None if loaded is None else loaded.guests[0]


def curve_label(setting: HasLabel | None) -> str:
    """Return the label of a setting's curve among several over the same axis.

    The label is the split, or `direct` for the reference; else empty.
    """
    if setting is None or _levels(setting).loaded:
        return ""
    if vcpus_of(setting):
        return DIRECT if has_direct_route(setting) else ""
    split = split_of(setting)
    return split.label if split else ""
