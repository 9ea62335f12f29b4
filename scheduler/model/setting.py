"""A setting: one value of the factor that a sweep varies.

Today the only factor is the split. Users, database scale, vCPUs and target host will be further structs in
the `Setting` union, each with a label, a position on the plot's axis and a factor name; engine, store,
plots and statistics only ever use these three.
"""

import math

import msgspec

from scheduler.model.split import Split, parse_split

BASELINE = "baseline"  # the label of a visit to the host as found; never a setting's own label


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


Setting = SplitSetting  # becomes a union with the second factor


def split_setting(text: str, field: str = "split") -> SplitSetting:
    """Read `a:b` as a setting; raises SpecError."""
    return SplitSetting(parse_split(text, field))


def setting_of(label: str) -> Setting | None:
    """Return the setting of a label, None for the host as found; raises SpecError."""
    return None if label == BASELINE else split_setting(label)


def label_of(setting: Setting | None) -> str:
    """Return the setting's label, `baseline` for the host as found."""
    return BASELINE if setting is None else setting.label
