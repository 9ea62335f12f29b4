"""A setting: one value of what a study varies.

The split study varies the split, capacity the number of users (at a split, or on the host as found), overhead what
stands between users and database, scale-up the number of the guest's vCPUs, isolation who of two guests is loaded at a
split of three. Database scale will be a further struct in the `Setting` union, with a label, a position on the plot's
axis and a factor name; engine, store, plots and statistics only ever use these three.
"""

import math
from typing import TypeVar

import msgspec

from scheduler.errors import SpecError
from scheduler.model.guests import LoadedGuests
from scheduler.model.split import GUEST, IO, DomainId, Mode, Split, parse_split

BASELINE = "baseline"  # the label of a trial to the host as found; never a setting's own label

DIRECT, VIA_IO_DOMAIN = "direct", "via the I/O domain"  # the labels of two sides


class SplitSetting(msgspec.Struct, frozen=True, tag_field="factor", tag="split"):
    """The split as the swept factor."""

    split: Split

    @property
    def label(self) -> str:
        """What people call this setting, unique within a sweep."""
        return self.split.label

    @property
    def position(self) -> float:
        """Where it stands on the axis: ln(I/O domain / guest), 0 for 1:1."""
        return math.log(self.split.io / self.split.guest)

    @property
    def tick(self) -> str:
        """What stands beneath the axis there."""
        return self.label


class UsersSetting(msgspec.Struct, frozen=True, tag_field="factor", tag="users"):
    """The number of closed-loop users as the swept factor.

    Attributes:
        users: How many, >= 1.
        split: The split they are measured at; None for the host as found.
    """

    users: int
    split: Split | None = None

    @property
    def label(self) -> str:
        """What people call this setting, unique within a study."""
        words = f"{self.users} user{'' if self.users == 1 else 's'}"
        return f"{words} at {self.split.label}" if self.split else words

    @property
    def position(self) -> float:
        """Where it stands on the axis: log2(users), 0 for one user."""
        return math.log2(self.users)

    @property
    def tick(self) -> str:
        """What stands beneath the axis there."""
        return str(self.users)


class SideSetting(msgspec.Struct, frozen=True, tag_field="factor", tag="side"):
    """What stands between the users and the database as the compared factor.

    Attributes:
        base: The users reach the database without the I/O domain between.
        split: The split that the host is set to; None for the host as found.
    """

    base: bool
    split: Split | None = None

    def __post_init__(self) -> None:
        """Refuse a base that is confined: it would be none; raises SpecError."""
        if self.base and self.split:
            raise SpecError("setting", "the base is measured without limits", hint="Leave its split out.")

    @property
    def label(self) -> str:
        """What people call this setting, unique within a study."""
        if self.base:
            return DIRECT
        return f"confined at {self.split.label}" if self.split else VIA_IO_DOMAIN

    @property
    def position(self) -> float:
        """Where it stands on the axis: the base first, then as found, then the splits by the I/O domain's part."""
        return 0.0 if self.base else 1.5 + self.split.io_frac if self.split else 1.0

    @property
    def tick(self) -> str:
        """What stands beneath the axis there."""
        return self.label


class VcpusSetting(msgspec.Struct, frozen=True, tag_field="factor", tag="vcpus"):
    """The number of the guest's vCPUs as the swept factor.

    Attributes:
        vcpus: How many are online, >= 1.
        base: The users reach the database without the I/O domain between: on so many CPUs, but native.
    """

    vcpus: int
    base: bool = False

    @property
    def label(self) -> str:
        """What people call this setting, unique within a study."""
        words = f"CPU{'' if self.vcpus == 1 else 's'}"
        return f"{self.vcpus} {words}, {DIRECT}" if self.base else f"{self.vcpus} v{words}"

    @property
    def position(self) -> float:
        """Where it stands on the axis: log2(vCPUs), 0 for one."""
        return math.log2(self.vcpus)

    @property
    def split(self) -> Split | None:
        """None: the schedulers' parameters stay as found."""
        return None

    @property
    def tick(self) -> str:
        """What stands beneath the axis there."""
        return str(self.vcpus)


class GuestsSetting(msgspec.Struct, frozen=True, tag_field="factor", tag="guests"):
    """Who of two guests is loaded, at a split of three that is capped or only weighted, as the compared factor.

    Attributes:
        split: The shares of the I/O domain and of both guests.
        mode: Whether each domain is capped at its share.
        loaded: Who has users.
    """

    split: Split
    mode: Mode
    loaded: LoadedGuests

    @property
    def label(self) -> str:
        """What people call this setting, unique within a study."""
        return f"{self.split.label} {self.mode}, {self.loaded.value}"

    @property
    def position(self) -> float:
        """Where it stands on the axis: by the I/O domain's share, then by mode, then by who is loaded."""
        place = 3 * list(Mode).index(self.mode) + list(LoadedGuests).index(self.loaded)
        return 10 * self.split.frac_of(IO) + self.split.frac_of(GUEST) + 0.01 * place

    @property
    def tick(self) -> str:
        """What stands beneath the axis there: who is loaded alone is named alone."""
        return self.label.removesuffix(" alone")


UsualMode = TypeVar("UsualMode", bound=Mode | None)
Setting = SplitSetting | UsersSetting | SideSetting | VcpusSetting | GuestsSetting


def parse_split_setting(text: str, field: str = "split") -> SplitSetting:
    """Read `a:b` as a setting; raises SpecError."""
    return SplitSetting(parse_split(text, field))


def label_of(setting: Setting | None) -> str:
    """Return the setting's label, `baseline` for the host as found."""
    return BASELINE if setting is None else setting.label


def split_of(setting: Setting | None) -> Split | None:
    """Return the split that the host is to be set to; None for the host as found."""
    return None if setting is None else setting.split


def is_host_changed(setting: Setting | None) -> bool:
    """Return whether the host is to be set to something else than it was found with."""
    return split_of(setting) is not None or vcpus_of(setting) > 0


def users_of(setting: Setting | None) -> int | None:
    """Return how many users a setting asks for; None where it leaves that to the load."""
    return setting.users if isinstance(setting, UsersSetting) else None


def mode_of(setting: Setting | None, usual: UsualMode) -> Mode | UsualMode:
    """Return the mode that a setting's split is set in; that of the plan where the setting has none of its own."""
    return setting.mode if isinstance(setting, GuestsSetting) else usual


def vcpus_of(setting: Setting | None) -> int:
    """Return how many vCPUs a setting asks for; 0 where it leaves the guest's as found."""
    return setting.vcpus if isinstance(setting, VcpusSetting) else 0


def has_direct_route(setting: Setting | None) -> bool:
    """Return whether the users reach the database without the I/O domain between."""
    return isinstance(setting, SideSetting | VcpusSetting) and setting.base


def first_loaded_guest(setting: Setting | None) -> DomainId | None:
    """Return the guest whose users a trial leads with; None where the host has one guest only."""
    return setting.loaded.guests[0] if isinstance(setting, GuestsSetting) else None


def curve_label(setting: Setting | None) -> str:
    """Return what tells a setting's curve from others over the same axis: its split, or that it is a base; or empty."""
    if isinstance(setting, VcpusSetting):
        return DIRECT if setting.base else ""
    split = None if isinstance(setting, GuestsSetting) else split_of(setting)
    return split.label if split else ""
