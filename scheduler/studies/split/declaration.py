"""Declaration of the split study: its record and its settings."""

from collections.abc import Sequence
from typing import ClassVar

from scheduler.model.setting import SplitSetting
from scheduler.model.study_kind import StudyKind
from scheduler.model.study_spec import SettingKeys, StudySpec
from scheduler.translation import _


class SplitStudy(StudySpec, frozen=True, tag="split"):
    """Study of the best split of the CPU."""

    kind: ClassVar[StudyKind] = StudyKind(
        name="split",
        question=_("Which split is best?"),
        does=_("Measures throughput at several splits of the CPU, and names the one to use."),
        title=_("Split"),
        factor="split",
        axis=_("Split, I/O domain : guest"),
        protocols=("adaptive", "quick", "strict", "grid", "replicate", "calibrate"),
        module="scheduler.studies.split",
        splits=(
            "1:1",
            "1:2",
            "1:5",
            "1:10",
            "2:1",
            "2:5",
            "5:1",
            "5:2",
            "10:1",
        ),  # Calheiros et al., in this order
        recommends_split=True,
    )

    def build_settings(self, keys: SettingKeys) -> Sequence[SplitSetting]:
        """Return a setting for each split; raise SpecError."""
        return [SplitSetting(split) for split in keys.read_splits(self.kind.splits)]
